// The part that shows what one sees from a section.
import { showView } from "../event/section-view.ts";
import { here } from "./here.ts";

/** Its style sheet. build-embed.mjs makes it of the pages' own. */
declare const SHEET: string;

here(import.meta.url, { sheet: SHEET, show: showView });
