import type { OrderStatus } from "../api/types.ts";
import { h } from "../base/dom.ts";
import { t } from "./words.ts";

const TONES: Record<OrderStatus, string> = {
  PENDING_PAYMENT: "warn", CONFIRMED: "ok", FAILED: "bad", EXPIRED: "off", CANCELLED: "off", REVIEW: "warn", REFUNDED: "off", PARTLY_REFUNDED: "ok",
};

/** An order's status as a word with a shape. */
export const statusTag = (status: OrderStatus): HTMLElement => h("span", { class: `tag ${TONES[status] ?? ""}` }, t(`st_${status}`));
