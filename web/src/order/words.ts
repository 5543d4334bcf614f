import { base } from "../i18n/en/base.ts";
import { order } from "../i18n/en/order.ts";
import { speech } from "../i18n/speech.ts";

/** The texts that all pages about orders have. */
export const { t, plural } = speech({ ...base, ...order });
