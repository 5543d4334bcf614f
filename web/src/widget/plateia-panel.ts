// The part in which seats are chosen.
import { withFocus } from "../map/focus.ts";
import { here } from "./here.ts";
import type { PanelCode } from "./parts.ts";
import { SeatPanel } from "./seat-panel.ts";

/** Its style sheet. build-embed.mjs makes it of the pages' own. */
declare const SHEET: string;

const code: PanelCode = { sheet: SHEET, open: (context) => new SeatPanel(context), withFocus };

here(import.meta.url, code);
