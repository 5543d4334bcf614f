import type { order as english } from "../en/order.ts";

export const order: Record<keyof typeof english, string> = {
  // pedidos
  seats_one: "{n} asiento",
  seats_other: "{n} asientos",
  paySignIn: "Entra para ver este pedido",
  ordersTitle: "Mis pedidos",
  ordersEmpty: "Todavía no hay pedidos",
  ordersEmptyLead: "Cuando compres entradas las encontrarás aquí.",
  ordersSignIn: "Entra para ver tus pedidos y entradas.",
  orderedOn: "Pedido el {date}",

  // estados
  st_PENDING_PAYMENT: "Esperando el pago",
  st_CONFIRMED: "Confirmado",
  st_FAILED: "Pago rechazado",
  st_EXPIRED: "Vencido",
  st_CANCELLED: "Cancelado",
  st_REVIEW: "En revisión",
  st_REFUNDED: "Reembolsado",
  st_PARTLY_REFUNDED: "Reembolsado en parte",
};
