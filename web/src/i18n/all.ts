import { base } from "./en/base.ts";
import { checkout } from "./en/checkout.ts";
import { choosing } from "./en/choosing.ts";
import { desk } from "./en/console.ts";
import { giving } from "./en/giving.ts";
import { embed } from "./en/embed.ts";
import { event } from "./en/event.ts";
import { line } from "./en/line.ts";
import { list } from "./en/list.ts";
import { proof } from "./en/proof.ts";
import { order } from "./en/order.ts";
import { page } from "./en/page.ts";
import { widget } from "./en/widget.ts";
import { base as baseES } from "./es/base.ts";
import { checkout as checkoutES } from "./es/checkout.ts";
import { choosing as choosingES } from "./es/choosing.ts";
import { desk as deskES } from "./es/console.ts";
import { giving as givingES } from "./es/giving.ts";
import { embed as embedES } from "./es/embed.ts";
import { event as eventES } from "./es/event.ts";
import { line as lineES } from "./es/line.ts";
import { list as listES } from "./es/list.ts";
import { order as orderES } from "./es/order.ts";
import { proof as proofES } from "./es/proof.ts";
import { page as pageES } from "./es/page.ts";
import { widget as widgetES } from "./es/widget.ts";
import { base as basePT } from "./pt-br/base.ts";
import { checkout as checkoutPT } from "./pt-br/checkout.ts";
import { choosing as choosingPT } from "./pt-br/choosing.ts";
import { desk as deskPT } from "./pt-br/console.ts";
import { giving as givingPT } from "./pt-br/giving.ts";
import { embed as embedPT } from "./pt-br/embed.ts";
import { event as eventPT } from "./pt-br/event.ts";
import { line as linePT } from "./pt-br/line.ts";
import { list as listPT } from "./pt-br/list.ts";
import { order as orderPT } from "./pt-br/order.ts";
import { proof as proofPT } from "./pt-br/proof.ts";
import { page as pagePT } from "./pt-br/page.ts";
import { widget as widgetPT } from "./pt-br/widget.ts";

const en = { ...base, ...event, ...choosing, ...line, ...proof, ...list, ...order, ...checkout, ...giving, ...embed, ...desk, ...page, ...widget };

/** Every text of the pages, by key. Each part is for those who need it: page/ texts are in the HTML only. */
export type Dictionary = Record<keyof typeof en, string>;
export type Language = "en" | "es" | "pt-BR";

export const all: Record<Language, Dictionary> = {
  en,
  es: { ...baseES, ...eventES, ...choosingES, ...lineES, ...proofES, ...listES, ...orderES, ...checkoutES, ...givingES, ...embedES, ...deskES, ...pageES, ...widgetES },
  "pt-BR": { ...basePT, ...eventPT, ...choosingPT, ...linePT, ...proofPT, ...listPT, ...orderPT, ...checkoutPT, ...givingPT, ...embedPT, ...deskPT, ...pagePT, ...widgetPT },
};
