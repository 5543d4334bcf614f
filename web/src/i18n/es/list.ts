import type { list as english } from "../en/list.ts";

export const list: Record<keyof typeof english, string> = {
  // lista de eventos
  search: "Buscar",
  listEmpty: "Nada coincide con “{q}”",
  listEmptyLead: "Prueba con otra palabra o mira todo lo que hay.",
  listNothing: "Todavía no hay eventos",
  listNothingLead: "En cuanto algo salga a la venta lo encontrarás aquí.",
  showAll: "Mostrar todos los eventos",
  found_one: "{n} evento",
  found_other: "{n} eventos",
  from: "desde {price}",
  avail_on_sale_soon: "Pronto a la venta",
  avail_available: "Disponible",
  avail_limited: "Quedan pocos",
  avail_sold_out: "Agotado",
  avail_cancelled: "Cancelado",
  onSaleFrom: "A la venta desde el {date}",
};
