import type { order as english } from "../en/order.ts";

export const order: Record<keyof typeof english, string> = {
  // pedidos
  seats_one: "{n} asiento",
  seats_other: "{n} asientos",
  paySignIn: "Usa el correo con el que hiciste el pedido. Te enviamos un código: sin contraseña.",
  ordersTitle: "Mis pedidos",
  ordersEmpty: "Todavía no hay pedidos",
  ordersEmptyLead: "Las entradas que compres aparecerán aquí.",
  ordersSignIn: "Tus pedidos y entradas se guardan con tu correo. Te enviamos un código: sin contraseña.",
  ordersMore: "Mostrar más pedidos",
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
  ordersFind: "Ver eventos",
  ordersFailed: "No se pudo cargar esta página",
  orderUnknown: "No encontramos este pedido",
  orderUnknownLead: "El enlace puede ser antiguo o estar mal escrito, o el pedido es de otra cuenta.",
};
