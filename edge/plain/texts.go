package plain

func english() words {
	return words{
		Tag: "en", group: ",",
		Heading: map[step]string{
			stepMail: "Get in line", stepCode: "Look at your mail", stepEnter: "Get in line", stepEarly: "The line is not open yet", stepWaiting: "You are in line",
			stepTurn: "It is your turn", stepMissed: "Your turn has passed", stepClosed: "This line is closed", stepRestarted: "The sale was started over",
		},
		Lead: map[step]string{
			stepMail:      "This page works without JavaScript. Sign in with your e-mail address: your place belongs to it, on every device.",
			stepCode:      "We sent you a code of six digits. Type it in to sign in and take your place.",
			stepEnter:     "You are signed in. Take your place now.",
			stepEarly:     "You are signed in. Come back when the line opens.",
			stepWaiting:   "Your place is kept, also when you close this page.",
			stepTurn:      "Seats are chosen in a browser with JavaScript. Go on there: your place is the same.",
			stepMissed:    "You are not sent to the back: another turn comes by, and this page will say so.",
			stepClosed:    "Nothing is sold here at the moment.",
			stepRestarted: "Old places do not count any more. Please enter again.",
		},
		Email: "E-mail address", SendCode: "Send me a code", Code: "Code from the mail", PresaleLabel: "Presale code, if you have one", Enter: "Take my place",
		OtherMail: "Use another address", Inbox: "Open the development inbox", GoOn: "Choose seats", Events: "See the events", Leave: "Give up my place and sign out",
		GoOnHow: "Sign in there with the same e-mail address; the place moves with you.",
		Reloads: "This page reloads itself.", ReloadNow: "Reload now",
		Again: "That did not work. Please try again.", Busy: "One moment, please: we could not be reached. Your place is kept.", SignIn: "Please sign in with a fresh code. If you have a place, it is kept.",
		Presale: "This presale code is not valid. Nothing was lost: correct it, or leave it out.", NoEvent: "There is no such event.",
		WrongCode: "This code is not right, or too old.", WrongMail: "Please check what you typed.", Often: "That was too often. Please wait a moment.",
		OnSale: "The sale begins on %s.", ClaimBy: "Your turn lasts until %s.", Paused: "The line is paused. Nobody loses time.", NextUpdate: "We will say more by %s.",
		Ahead: "%s ahead of you", About: "%s to %s ahead of you", Unknown: "Places are drawn by lot when the sale begins", Draw: "Places are being drawn",
		Soon: "Probably within a minute.", Minutes: "Probably in %s to %s minutes. This is an estimate.",
	}
}

func portuguese() words {
	return words{
		Tag: "pt-BR", group: ".",
		Heading: map[step]string{
			stepMail: "Entre na fila", stepCode: "Veja o seu e-mail", stepEnter: "Entre na fila", stepEarly: "A fila ainda não abriu", stepWaiting: "Você está na fila",
			stepTurn: "É a sua vez", stepMissed: "A sua vez passou", stepClosed: "Esta fila está fechada", stepRestarted: "A venda recomeçou",
		},
		Lead: map[step]string{
			stepMail:      "Esta página funciona sem JavaScript. Entre com o seu e-mail: o lugar é dele, em qualquer aparelho.",
			stepCode:      "Enviamos um código de seis dígitos. Digite-o para entrar e pegar o seu lugar.",
			stepEnter:     "Você já entrou na sua conta. Pegue o seu lugar agora.",
			stepEarly:     "Você já entrou na sua conta. Volte quando a fila abrir.",
			stepWaiting:   "O seu lugar está guardado, mesmo se você fechar esta página.",
			stepTurn:      "Os assentos são escolhidos em um navegador com JavaScript. Continue nele: o lugar é o mesmo.",
			stepMissed:    "Você não volta para o fim: outra vez está a caminho, e esta página vai avisar.",
			stepClosed:    "No momento, nada está à venda aqui.",
			stepRestarted: "Os lugares antigos não valem mais. Entre de novo, por favor.",
		},
		Email: "E-mail", SendCode: "Enviar um código", Code: "Código do e-mail", PresaleLabel: "Código da pré-venda, se você tiver", Enter: "Pegar o meu lugar",
		OtherMail: "Usar outro e-mail", Inbox: "Abrir a caixa de entrada de desenvolvimento", GoOn: "Escolher assentos", Events: "Ver os eventos", Leave: "Desistir do lugar e sair",
		GoOnHow: "Entre lá com o mesmo e-mail; o lugar vai com você.",
		Reloads: "Esta página se atualiza sozinha.", ReloadNow: "Atualizar agora",
		Again: "Não deu certo. Tente de novo.", Busy: "Um momento: não conseguimos responder. O seu lugar está guardado.", SignIn: "Entre com um código novo, por favor. Se você já tem um lugar, ele está guardado.",
		Presale: "Este código de pré-venda não vale. Nada se perdeu: corrija-o ou deixe em branco.", NoEvent: "Este evento não existe.",
		WrongCode: "O código não está certo ou é antigo demais.", WrongMail: "Confira o que você digitou.", Often: "Foram vezes demais. Espere um momento.",
		OnSale: "A venda começa em %s.", ClaimBy: "A sua vez vale até %s.", Paused: "A fila está em pausa. Ninguém perde tempo.", NextUpdate: "Diremos mais até %s.",
		Ahead: "%s à sua frente", About: "%s a %s à sua frente", Unknown: "Os lugares são sorteados quando a venda começar", Draw: "Os lugares estão sendo sorteados",
		Soon: "Provavelmente dentro de um minuto.", Minutes: "Provavelmente em %s a %s minutos. É uma estimativa.",
	}
}

func spanish() words {
	return words{
		Tag: "es", group: ".",
		Heading: map[step]string{
			stepMail: "Ponte en la fila", stepCode: "Mira tu correo", stepEnter: "Ponte en la fila", stepEarly: "La fila aún no está abierta", stepWaiting: "Estás en la fila",
			stepTurn: "Es tu turno", stepMissed: "Tu turno ha pasado", stepClosed: "Esta fila está cerrada", stepRestarted: "La venta empezó de nuevo",
		},
		Lead: map[step]string{
			stepMail:      "Esta página funciona sin JavaScript. Entra con tu correo: tu lugar le pertenece, en cualquier dispositivo.",
			stepCode:      "Te enviamos un código de seis cifras. Escríbelo para entrar y tomar tu lugar.",
			stepEnter:     "Ya has entrado. Toma tu lugar ahora.",
			stepEarly:     "Ya has entrado. Vuelve cuando se abra la fila.",
			stepWaiting:   "Tu lugar está guardado, también si cierras esta página.",
			stepTurn:      "Los asientos se eligen en un navegador con JavaScript. Sigue allí: tu lugar es el mismo.",
			stepMissed:    "No vas al final: vendrá otro turno, y esta página te avisará.",
			stepClosed:    "En este momento no se vende nada aquí.",
			stepRestarted: "Los lugares de antes ya no valen. Entra de nuevo, por favor.",
		},
		Email: "Correo electrónico", SendCode: "Enviarme un código", Code: "Código del correo", PresaleLabel: "Código de preventa, si tienes uno", Enter: "Tomar mi lugar",
		OtherMail: "Usar otro correo", Inbox: "Abrir el buzón de desarrollo", GoOn: "Elegir asientos", Events: "Ver los eventos", Leave: "Dejar mi lugar y salir",
		GoOnHow: "Entra allí con el mismo correo; el lugar va contigo.",
		Reloads: "Esta página se actualiza sola.", ReloadNow: "Actualizar ahora",
		Again: "No ha funcionado. Inténtalo de nuevo.", Busy: "Un momento: no pudimos responder. Tu lugar está guardado.", SignIn: "Entra con un código nuevo, por favor. Si ya tienes un lugar, está guardado.",
		Presale: "Este código de preventa no es válido. No se ha perdido nada: corrígelo o déjalo en blanco.", NoEvent: "Este evento no existe.",
		WrongCode: "El código no es correcto o es demasiado antiguo.", WrongMail: "Revisa lo que has escrito.", Often: "Fueron demasiadas veces. Espera un momento.",
		OnSale: "La venta empieza el %s.", ClaimBy: "Tu turno dura hasta %s.", Paused: "La fila está en pausa. Nadie pierde tiempo.", NextUpdate: "Diremos más antes de %s.",
		Ahead: "%s delante de ti", About: "De %s a %s delante de ti", Unknown: "Los lugares se sortean cuando empiece la venta", Draw: "Se están sorteando los lugares",
		Soon: "Probablemente en un minuto.", Minutes: "Probablemente en %s a %s minutos. Es una estimación.",
	}
}
