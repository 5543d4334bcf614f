import { byId } from "../base/dom.ts";
import type { LineDocument } from "../room/document.ts";
import type { Ranked } from "../room/lanes.ts";
import { startPage } from "../ui/account.ts";

export interface Known { document: LineDocument | null; ticket: Ranked | null }

/** What the page has besides the line, fetched once the line is shown: the account's menu and the proof of the draw. */
export function furnish(event: string, known: () => Known): void {
  startPage("");
  const proof = byId<HTMLDetailsElement>("proof");
  const offer = (): void => {
    proof.hidden = !known().document?.seed;
  };
  offer();
  setInterval(offer, 2000);
  proof.addEventListener("toggle", () => {
    if (proof.open) void import("./proof.ts").then((p) => p.showProof(byId("proof-body"), event, known()));
  });
}
