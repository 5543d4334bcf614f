// The part that says why there are no seats.
import { here } from "./here.ts";
import { troubleCard, whyMissing } from "./trouble.ts";

/** Its style sheet. build-embed.mjs makes it of the pages' own. */
declare const SHEET: string;

here(import.meta.url, { sheet: SHEET, why: whyMissing, card: troubleCard });
