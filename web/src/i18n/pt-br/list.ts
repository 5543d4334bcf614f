import type { list as english } from "../en/list.ts";

export const list: Record<keyof typeof english, string> = {
  // lista de eventos
  search: "Buscar",
  listEmpty: "Nada encontrado para “{q}”",
  listEmptyLead: "Tente outra palavra ou veja tudo o que está em cartaz.",
  listNothing: "Ainda não há eventos",
  listNothingLead: "Assim que algo entrar à venda, você encontra aqui.",
  showAll: "Ver todos os eventos",
  found_one: "{n} evento",
  found_other: "{n} eventos",
  from: "a partir de {price}",
  avail_on_sale_soon: "Em breve",
  avail_available: "Disponível",
  avail_limited: "Últimos lugares",
  avail_sold_out: "Esgotado",
  avail_cancelled: "Cancelado",
  onSaleFrom: "À venda a partir de {date}",
};
