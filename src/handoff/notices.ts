/** What visitors are told, in each language that has it. `{{name}}` is the name of an agent. */
export interface Notices {
  /** A person is called. */
  waiting: string
  /** A person has come. */
  taken: string
  /** The agent answers again. */
  returned: string
  /** Nobody is there; a ticket is opened. */
  ticket: string
  /** A ticket has been opened before. */
  ticketed: string
  closed: string
  /** Another agent answers now. */
  transferred: string
  /** A person is offered after answers that knew nothing; `person` is what the visitor says to have one. */
  offer: string
  person: string
}

const NOTICES = {
  en: {
    waiting: 'I am looking for a person to help you. Please stay here; you can go on writing.',
    taken: 'A person is here now and answers you.',
    returned: 'The AI assistant answers again.',
    ticket:
      'Nobody is available right now. I have passed your request on as a ticket, and a person will come back to you. Please leave your e-mail address here if you have not done so.',
    ticketed: 'Your request has been passed on already, and a person will come back to you.',
    closed: 'This conversation is closed. Write again to take it up.',
    transferred: '{{name}} will help you now.',
    offer: 'Would you like to talk to a person?',
    person: 'I would like to talk to a person'
  },
  de: {
    waiting: 'Ich suche einen Menschen, der Ihnen hilft. Bitte bleiben Sie hier; Sie können weiterschreiben.',
    taken: 'Ein Mensch ist jetzt da und antwortet Ihnen.',
    returned: 'Der KI-Assistent antwortet wieder.',
    ticket:
      'Gerade ist niemand da. Ich habe Ihr Anliegen als Ticket weitergegeben; ein Mensch meldet sich bei Ihnen. Bitte hinterlassen Sie hier Ihre E-Mail-Adresse, falls noch nicht geschehen.',
    ticketed: 'Ihr Anliegen ist bereits weitergegeben; ein Mensch meldet sich bei Ihnen.',
    closed: 'Diese Unterhaltung ist geschlossen. Schreiben Sie wieder, um sie fortzusetzen.',
    transferred: '{{name}} hilft Ihnen jetzt weiter.',
    offer: 'Möchten Sie mit einem Menschen sprechen?',
    person: 'Ich möchte mit einem Menschen sprechen'
  },
  fr: {
    waiting: 'Je cherche une personne pour vous aider. Restez ici ; vous pouvez continuer à écrire.',
    taken: 'Une personne est là et vous répond.',
    returned: 'L’assistant IA répond à nouveau.',
    ticket:
      'Personne n’est disponible en ce moment. J’ai transmis votre demande sous forme de ticket et une personne vous répondra. Laissez ici votre adresse e-mail si ce n’est pas encore fait.',
    ticketed: 'Votre demande a déjà été transmise et une personne vous répondra.',
    closed: 'Cette conversation est fermée. Écrivez à nouveau pour la reprendre.',
    transferred: '{{name}} va maintenant vous aider.',
    offer: 'Souhaitez-vous parler à une personne ?',
    person: 'Je voudrais parler à une personne'
  },
  es: {
    waiting: 'Estoy buscando a una persona que le ayude. Quédese aquí; puede seguir escribiendo.',
    taken: 'Una persona está aquí y le responde.',
    returned: 'El asistente de IA vuelve a responder.',
    ticket:
      'Ahora mismo no hay nadie disponible. He pasado su consulta como tique y una persona le responderá. Deje aquí su correo electrónico si aún no lo ha hecho.',
    ticketed: 'Su consulta ya se ha pasado y una persona le responderá.',
    closed: 'Esta conversación está cerrada. Escriba de nuevo para retomarla.',
    transferred: '{{name}} le ayudará ahora.',
    offer: '¿Desea hablar con una persona?',
    person: 'Quiero hablar con una persona'
  },
  it: {
    waiting: 'Sto cercando una persona che la aiuti. Resti qui; può continuare a scrivere.',
    taken: 'Ora c’è una persona che le risponde.',
    returned: 'L’assistente IA risponde di nuovo.',
    ticket:
      'Al momento non c’è nessuno. Ho inoltrato la sua richiesta come ticket e una persona la ricontatterà. Lasci qui il suo indirizzo e-mail, se non l’ha già fatto.',
    ticketed: 'La sua richiesta è già stata inoltrata e una persona la ricontatterà.',
    closed: 'Questa conversazione è chiusa. Scriva di nuovo per riprenderla.',
    transferred: 'Ora la aiuta {{name}}.',
    offer: 'Desidera parlare con una persona?',
    person: 'Vorrei parlare con una persona'
  },
  pt: {
    waiting: 'Estou a procurar uma pessoa para o ajudar. Fique aqui; pode continuar a escrever.',
    taken: 'Está aqui uma pessoa que lhe responde.',
    returned: 'O assistente de IA volta a responder.',
    ticket:
      'De momento não há ninguém disponível. Encaminhei o seu pedido como tíquete e uma pessoa irá responder-lhe. Deixe aqui o seu e-mail, se ainda não o fez.',
    ticketed: 'O seu pedido já foi encaminhado e uma pessoa irá responder-lhe.',
    closed: 'Esta conversa está encerrada. Escreva de novo para a retomar.',
    transferred: '{{name}} vai ajudá-lo agora.',
    offer: 'Quer falar com uma pessoa?',
    person: 'Quero falar com uma pessoa'
  },
  nl: {
    waiting: 'Ik zoek iemand die u kan helpen. Blijf hier; u kunt verder schrijven.',
    taken: 'Er is nu een medewerker die u antwoordt.',
    returned: 'De AI-assistent antwoordt weer.',
    ticket:
      'Er is nu niemand beschikbaar. Ik heb uw vraag als ticket doorgegeven; een medewerker neemt contact met u op. Laat hier uw e-mailadres achter als u dat nog niet hebt gedaan.',
    ticketed: 'Uw vraag is al doorgegeven; een medewerker neemt contact met u op.',
    closed: 'Dit gesprek is gesloten. Schrijf opnieuw om het te hervatten.',
    transferred: '{{name}} helpt u nu verder.',
    offer: 'Wilt u met een medewerker spreken?',
    person: 'Ik wil met een medewerker spreken'
  },
  sv: {
    waiting: 'Jag letar efter en person som kan hjälpa dig. Stanna kvar; du kan fortsätta skriva.',
    taken: 'Nu är en person här och svarar dig.',
    returned: 'AI-assistenten svarar igen.',
    ticket:
      'Ingen är tillgänglig just nu. Jag har skickat ditt ärende vidare och en person återkommer till dig. Lämna din e-postadress här om du inte redan har gjort det.',
    ticketed: 'Ditt ärende är redan skickat vidare och en person återkommer till dig.',
    closed: 'Den här konversationen är stängd. Skriv igen för att återuppta den.',
    transferred: '{{name}} hjälper dig nu.',
    offer: 'Vill du prata med en person?',
    person: 'Jag vill prata med en person'
  },
  pl: {
    waiting: 'Szukam osoby, która pomoże. Proszę tu zostać; można pisać dalej.',
    taken: 'Odpowiada teraz człowiek.',
    returned: 'Znów odpowiada asystent AI.',
    ticket:
      'W tej chwili nikt nie jest dostępny. Przekazałem sprawę jako zgłoszenie; odezwie się człowiek. Proszę zostawić tu adres e-mail, jeśli go jeszcze nie ma.',
    ticketed: 'Sprawa została już przekazana; odezwie się człowiek.',
    closed: 'Ta rozmowa jest zamknięta. Aby ją wznowić, wystarczy napisać.',
    transferred: 'Teraz pomoże {{name}}.',
    offer: 'Czy połączyć z człowiekiem?',
    person: 'Chcę rozmawiać z człowiekiem'
  },
  tr: {
    waiting: 'Size yardımcı olacak birini arıyorum. Lütfen burada kalın; yazmaya devam edebilirsiniz.',
    taken: 'Artık bir kişi burada ve size yanıt veriyor.',
    returned: 'Yapay zekâ asistanı yeniden yanıt veriyor.',
    ticket:
      'Şu anda müsait kimse yok. Talebinizi kayıt olarak ilettim; bir kişi size dönecek. Henüz bırakmadıysanız e-posta adresinizi buraya yazın.',
    ticketed: 'Talebiniz zaten iletildi; bir kişi size dönecek.',
    closed: 'Bu görüşme kapatıldı. Sürdürmek için yeniden yazın.',
    transferred: 'Şimdi size {{name}} yardımcı olacak.',
    offer: 'Bir insanla görüşmek ister misiniz?',
    person: 'Bir insanla görüşmek istiyorum'
  },
  ru: {
    waiting: 'Ищу человека, который вам поможет. Пожалуйста, оставайтесь здесь; можно писать дальше.',
    taken: 'Теперь вам отвечает человек.',
    returned: 'Снова отвечает ИИ-ассистент.',
    ticket:
      'Сейчас никого нет. Я передал ваш запрос, и вам ответит человек. Оставьте здесь адрес электронной почты, если ещё не сделали этого.',
    ticketed: 'Ваш запрос уже передан, вам ответит человек.',
    closed: 'Этот разговор закрыт. Напишите снова, чтобы продолжить.',
    transferred: 'Теперь вам поможет {{name}}.',
    offer: 'Хотите поговорить с человеком?',
    person: 'Хочу поговорить с человеком'
  },
  ar: {
    waiting: 'أبحث عن شخص يساعدك. يرجى البقاء هنا، ويمكنك متابعة الكتابة.',
    taken: 'يوجد الآن شخص يجيبك.',
    returned: 'عاد مساعد الذكاء الاصطناعي للإجابة.',
    ticket:
      'لا يوجد أحد متاح الآن. لقد حوّلت طلبك كتذكرة وسيعود إليك شخص. يرجى ترك بريدك الإلكتروني هنا إن لم تفعل ذلك بعد.',
    ticketed: 'تم تحويل طلبك من قبل، وسيعود إليك شخص.',
    closed: 'هذه المحادثة مغلقة. اكتب مرة أخرى لمتابعتها.',
    transferred: 'سيساعدك {{name}} الآن.',
    offer: 'هل تريد التحدث مع شخص؟',
    person: 'أريد التحدث مع شخص'
  },
  zh: {
    waiting: '正在为您寻找人工客服，请稍候；您可以继续输入。',
    taken: '人工客服已经接入，正在为您解答。',
    returned: '现在由 AI 助手继续为您解答。',
    ticket: '目前没有人工客服在线。我已将您的请求提交为工单，会有人与您联系。如果您还没有留下电子邮箱，请在此留下。',
    ticketed: '您的请求已经提交，会有人与您联系。',
    closed: '本次对话已关闭。再次输入即可继续。',
    transferred: '现在由 {{name}} 为您服务。',
    offer: '需要转接人工客服吗？',
    person: '转人工'
  },
  ja: {
    waiting: '担当者を探しています。このままお待ちください。続けて入力していただけます。',
    taken: '担当者がお答えします。',
    returned: '再びAIアシスタントがお答えします。',
    ticket:
      'ただいま担当者が不在です。ご用件をチケットとして引き継ぎましたので、担当者からご連絡します。まだの場合は、ここにメールアドレスをお書きください。',
    ticketed: 'ご用件はすでに引き継がれています。担当者からご連絡します。',
    closed: 'この会話は終了しました。もう一度書き込むと再開します。',
    transferred: 'ここからは {{name}} がご案内します。',
    offer: '担当者とお話しになりますか。',
    person: '担当者と話したい'
  },
  ko: {
    waiting: '도와드릴 담당자를 찾고 있습니다. 잠시 기다려 주세요. 계속 입력하셔도 됩니다.',
    taken: '이제 담당자가 답변해 드립니다.',
    returned: '다시 AI 어시스턴트가 답변합니다.',
    ticket:
      '지금은 담당자가 없습니다. 요청을 티켓으로 전달했으며 담당자가 연락드리겠습니다. 아직 남기지 않으셨다면 이메일 주소를 여기에 남겨 주세요.',
    ticketed: '요청이 이미 전달되었으며 담당자가 연락드리겠습니다.',
    closed: '이 대화는 종료되었습니다. 다시 입력하시면 이어집니다.',
    transferred: '이제 {{name}}이(가) 도와드리겠습니다.',
    offer: '상담원과 대화하시겠습니까?',
    person: '상담원과 대화하고 싶어요'
  }
} as const satisfies Record<string, Notices>

/** The languages that have them. */
export const NOTICE_LANGUAGES = Object.keys(NOTICES) as Array<keyof typeof NOTICES>

/** What visitors are told in a language; in English where there is nothing in theirs. */
export function noticesOf (language: string | null): Notices {
  return NOTICES[(language ?? 'en') as keyof typeof NOTICES] ?? NOTICES.en
}
