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

  // sala de espera
  roomTitle: "Sala de espera",
  roomNoScript: "Esta página funciona mejor con JavaScript. Sin él hay un formulario sencillo que hace lo mismo.",
  roomPlain: "Usar el formulario sencillo",
  proofTitle: "Cómo fue el sorteo, y cómo comprobarlo",
  askFair: "¿Es justo?",
  askFairLead: "Quien entra antes de la apertura participa en un sorteo; quien llega después queda detrás, por segundos. El sorteo sale de un número aleatorio público que nadie puede elegir, tampoco nosotros, y cualquiera puede repetir la cuenta.",
  askKeep: "¿Y si cierro esta página?",
  askKeepLead: "El puesto es de tu cuenta. Recarga, cierra la página, pierde la conexión: sigue ahí. Más pestañas o dispositivos no dan más puestos.",
  askPause: "¿Por qué a veces se para?",
  askPauseLead: "Entra tanta gente como sale, para que todo vaya bien a quienes están dentro. Cuando algo falla hacemos una pausa, decimos por qué y paramos todos los relojes.",

  // in partners' pages
  payWindow: "Pago",
  bySecure: "El inicio de sesión, los asientos y el pago están en Plateia, no en esta página.",

  // finding events
  findFilters: "Filtros",
  findMeant: "Buscar solo en",
  findCity: "Ciudad",
  findAnyCity: "Cualquier ciudad",
  findNearMe: "Cerca de mí",
  findWithin: "Distancia",
  findWhen: "Cuándo",
  findAnyDay: "Cualquier día",
  findToday: "Hoy",
  findWeekend: "Este fin de semana",
  findWeek: "Próximos 7 días",
  findMonth: "Próximos 30 días",
  findOwnDays: "Elegir fechas",
  findFrom: "Desde",
  findTo: "Hasta",
  findGenre: "Género",
  findAnyGenre: "Todos los géneros",
  findVenue: "Lugar",
  findAnyVenue: "Cualquier lugar",
  findSort: "Ordenar por",
  findSoonest: "Fecha",
  findCheapest: "Menor precio",
  findNearest: "Distancia",
  findClear: "Quitar filtros",
  findShow: "Ver eventos",
  findClose: "Cerrar filtros",
};
