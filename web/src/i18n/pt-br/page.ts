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

  // sala de espera
  roomTitle: "Sala de espera",
  roomNoScript: "Esta página funciona melhor com JavaScript. Sem ele há um formulário simples que faz o mesmo.",
  roomPlain: "Usar o formulário simples",
  proofTitle: "Como foi o sorteio, e como conferir",
  askFair: "Isto é justo?",
  askFairLead: "Quem entra antes da abertura participa de um sorteio; quem vem depois fica atrás, por ordem de segundos. O sorteio vem de um número aleatório público que ninguém escolhe, nem nós, e qualquer pessoa pode refazer a conta.",
  askKeep: "E se eu fechar esta página?",
  askKeepLead: "O lugar é da sua conta. Recarregue, feche a página, perca a conexão: ele fica. Mais abas ou aparelhos não dão mais lugares.",
  askPause: "Por que às vezes a fila para?",
  askPauseLead: "Entra tanta gente quanto sai, para que tudo funcione bem para quem está dentro. Quando algo não vai bem, fazemos uma pausa, dizemos por quê e paramos todos os relógios.",

  // in partners' pages
  payWindow: "Pagamento",
  bySecure: "Login, lugares e pagamento ficam na Plateia, não nesta página.",

  // finding events
  findFilters: "Filtros",
  findMeant: "Buscar só em",
  findCity: "Cidade",
  findAnyCity: "Qualquer cidade",
  findNearMe: "Perto de mim",
  findWithin: "Distância",
  findWhen: "Quando",
  findAnyDay: "Qualquer dia",
  findToday: "Hoje",
  findWeekend: "Este fim de semana",
  findWeek: "Próximos 7 dias",
  findMonth: "Próximos 30 dias",
  findOwnDays: "Escolher datas",
  findFrom: "De",
  findTo: "Até",
  findGenre: "Gênero",
  findAnyGenre: "Todos os gêneros",
  findVenue: "Local",
  findAnyVenue: "Qualquer local",
  findSort: "Ordenar por",
  findSoonest: "Data",
  findCheapest: "Menor preço",
  findNearest: "Distância",
  findClear: "Limpar filtros",
  findShow: "Ver eventos",
  findClose: "Fechar filtros",
};
