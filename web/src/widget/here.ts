import type { DeskCode, FallbackCode, PanelCode, TroubleCode, ViewCode } from "./parts.ts";
import { registry } from "./registry.ts";

/** A part says that it is here: under the name of its own file, so that two versions in one page never meet. */
export function here(url: string, code: PanelCode | FallbackCode | TroubleCode | DeskCode | ViewCode): void {
  const page = registry();
  if (page) page.parts[url.split("/").pop()!] = code;
}
