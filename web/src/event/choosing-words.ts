import { base } from "../i18n/en/base.ts";
import { choosing } from "../i18n/en/choosing.ts";
import { event } from "../i18n/en/event.ts";
import { speech } from "../i18n/speech.ts";

export { count } from "../i18n/speech.ts";

/** The texts of the event page with those of choosing, for scripts that are fetched when somebody chooses. */
export const { t, plural } = speech({ ...base, ...event, ...choosing });
