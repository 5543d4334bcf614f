import { widget } from "../i18n/en/widget.ts";
import { speech } from "../i18n/speech.ts";

/** The texts that only the widget has. */
export const { t: w, plural: wPlural } = speech(widget);
