import type { order as english } from "../en/order.ts";

export const order: Record<keyof typeof english, string> = {
  // pedidos
  seats_one: "{n} lugar",
  seats_other: "{n} lugares",
  paySignIn: "Entre para ver este pedido",
  ordersTitle: "Meus pedidos",
  ordersEmpty: "Ainda não há pedidos",
  ordersEmptyLead: "Quando você comprar ingressos, eles ficam aqui.",
  ordersSignIn: "Entre para ver seus pedidos e ingressos.",
  orderedOn: "Feito em {date}",

  // situações
  st_PENDING_PAYMENT: "Aguardando pagamento",
  st_CONFIRMED: "Confirmado",
  st_FAILED: "Pagamento recusado",
  st_EXPIRED: "Expirado",
  st_CANCELLED: "Cancelado",
  st_REVIEW: "Em análise",
  st_REFUNDED: "Reembolsado",
  st_PARTLY_REFUNDED: "Parcialmente reembolsado",
};
