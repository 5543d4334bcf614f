import type { Fee } from "../api/types.ts";
import { price } from "../i18n/format.ts";
import { t } from "./words.ts";

/** What is still charged beside prices with all fees: what an order costs, however many seats it has. */
export function orderFees(fees: readonly Fee[] = []): string {
  const names = fees.filter((f) => f.per === "order").map(({ name, amount }) => t("feeOrder", { name, amount: price(amount!) }));
  return names.length > 0 ? t("plusFees", { fees: names.join(", ") }) : t("feesIncluded");
}
