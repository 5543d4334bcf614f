import { giving } from "../i18n/en/giving.ts";
import { speech } from "../i18n/speech.ts";

/** The texts of the dialog in which tickets are given back; they come with its script. */
export const { t, plural } = speech(giving);
