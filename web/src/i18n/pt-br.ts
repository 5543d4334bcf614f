import type { Dictionary } from "./all.ts";

/** Portuguese (Brazil). */
export const ptBR: Dictionary = {
  brand: "Plateia",
  events: "Eventos",
  myOrders: "Meus pedidos",
};
