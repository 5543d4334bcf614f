import { base } from "../i18n/en/base.ts";
import { checkout } from "../i18n/en/checkout.ts";
import { order } from "../i18n/en/order.ts";
import { speech } from "../i18n/speech.ts";

/** The texts of one order's page: payment, tickets, money that goes back. */
export const { t, plural } = speech({ ...base, ...order, ...checkout });
