import type { order as english } from "../en/order.ts";

export const order: Record<keyof typeof english, string> = {
  // pedidos
  seats_one: "{n} lugar",
  seats_other: "{n} lugares",
  paySignIn: "Use o e\u2011mail com que você fez o pedido. Enviamos um código: não precisa de senha.",
  ordersTitle: "Meus pedidos",
  ordersEmpty: "Ainda não há pedidos",
  ordersEmptyLead: "Os ingressos que você comprar aparecem aqui.",
  ordersSignIn: "Seus pedidos e ingressos ficam guardados no seu e\u2011mail. Enviamos um código: não precisa de senha.",
  ordersMore: "Mostrar mais pedidos",
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
  ordersFind: "Ver eventos",
  ordersFailed: "Não foi possível carregar esta página",
  orderUnknown: "Não encontramos este pedido",
  orderUnknownLead: "O link pode ser antigo ou estar errado, ou o pedido é de outra conta.",
};
