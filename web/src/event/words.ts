import { base } from "../i18n/en/base.ts";
import { event } from "../i18n/en/event.ts";
import { speech } from "../i18n/speech.ts";

export { count } from "../i18n/speech.ts";

/** The texts of the event page. */
export const { t, plural } = speech({ ...base, ...event });
