import { base } from "../i18n/en/base.ts";
import { embed } from "../i18n/en/embed.ts";
import { speech } from "../i18n/speech.ts";

/** The texts of what we show in partners' pages, beside those of the event's page. */
export const { t } = speech({ ...base, ...embed });
