import type { page as english } from "../en/page.ts";

export const page: Record<keyof typeof english, string> = {
  // estrutura
  skip: "Ir para o conteúdo",
  mainMenu: "Menu principal",
  myOrders: "Meus pedidos",
  noScript: "Esta página precisa de JavaScript para mostrar os lugares ao vivo. Ative-o e recarregue a página.",
  loading: "Carregando…",
  footer: "Cada lugar é vendido uma só vez. O total mostrado é o que você paga.",

  // erros
  missingTitle: "Esta página não existe",

  // lista de eventos
  listTitle: "O que você quer ver ao vivo?",
  listLead: "Mapa de lugares ao vivo, preços honestos e uma fila justa.",
  searchLabel: "Buscar por evento, artista, local ou cidade",
  searchPlaceholder: "Evento, artista, local ou cidade",

  // mapa
  mapTitle: "Mapa de lugares",
};
