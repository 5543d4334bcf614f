// The part with our frames: what is personal happens there.
import { DeskSheet } from "./desk-sheet.ts";
import { FrameBody } from "./frame-body.ts";
import { here } from "./here.ts";

/** Its style sheet. build-embed.mjs makes it of the pages' own. */
declare const SHEET: string;

here(import.meta.url, { sheet: SHEET, beside: (context, heard) => new DeskSheet(context, heard), whole: (host, kit) => new FrameBody(host, kit, SHEET) });
