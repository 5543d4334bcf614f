import { base } from "./en/base.ts";
import { speech } from "./speech.ts";

/** The texts that every page has. */
export const { t, plural } = speech(base);
