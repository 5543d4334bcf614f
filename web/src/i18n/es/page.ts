import type { page as english } from "../en/page.ts";

export const page: Record<keyof typeof english, string> = {
  // estructura
  skip: "Ir al contenido",
  mainMenu: "Menú principal",
  myOrders: "Mis pedidos",
  noScript: "Esta página necesita JavaScript para mostrar los asientos en vivo. Actívalo y recarga la página.",
  loading: "Cargando…",
  footer: "Cada asiento se vende una sola vez. El total que ves es lo que pagas.",

  // errores
  missingTitle: "Esta página no existe",

  // lista de eventos
  listTitle: "¿Qué quieres ver en vivo?",
  listLead: "Mapas de asientos en vivo, precios honestos y una fila justa.",
  searchLabel: "Buscar por evento, artista, lugar o ciudad",
  searchPlaceholder: "Evento, artista, lugar o ciudad",

  // mapa
  mapTitle: "Mapa de asientos",
};
