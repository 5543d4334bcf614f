// The part in which seats are chosen.
import { here } from "./here.ts";
import type { PanelCode } from "./parts.ts";
import { SeatPanel } from "./seat-panel.ts";

/** Its style sheet. build-embed.mjs makes it of the pages' own. */
declare const SHEET: string;

const code: PanelCode = { sheet: SHEET, open: (context) => new SeatPanel(context) };

here(import.meta.url, code);
