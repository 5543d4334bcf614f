import type { DeskCode, LiveCode, PanelCode, SeatsCode } from "./parts.ts";
import { registry } from "./registry.ts";

/** A part says that it is here: under the name of its own file, so that two versions in one page never meet. */
export function here(url: string, code: SeatsCode | LiveCode | PanelCode | DeskCode): void {
  const page = registry();
  if (page) page.parts[url.split("/").pop()!] = code;
}
