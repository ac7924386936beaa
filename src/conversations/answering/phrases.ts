/**
 * The fixed sentences an agent says by itself, in each language that has them. `{name}` is the agent's name,
 * `{contact}` an e-mail address.
 */
export interface Phrases {
  /** Said once, before the first answer: visitors have a right to know. */
  isAi: string
  greeting: string
  thanks: string
  unknown: string
  /** Before sentences that may answer what was asked. */
  mayHelp: string
  /** How to reach a person by mail. */
  writeTo: string
  /** There is no way to reach a person. */
  noPerson: string
  /** Somebody else is asked to help. */
  oneMoment: string
  /** The answer broke off. */
  brokeOff: string
}

const PHRASES = {
  en: {
    isAi: 'You are talking to an AI assistant.',
    greeting: 'Hello! How can I help you?',
    thanks: 'You are welcome! Is there anything else I can help with?',
    unknown: 'I do not know that: nothing that I was taught answers it.',
    mayHelp: 'This may help:',
    writeTo: 'You can reach a person at {contact}.',
    noPerson:
      'I am an AI assistant and cannot connect you to a person here. Please use the contact details on our website.',
    oneMoment: 'One moment, please.',
    brokeOff: 'The answer broke off. Please ask again.'
  },
  de: {
    isAi: 'Sie sprechen mit einem KI-Assistenten.',
    greeting: 'Hallo! Wie kann ich Ihnen helfen?',
    thanks: 'Gern geschehen! Kann ich sonst noch etwas für Sie tun?',
    unknown: 'Das weiß ich nicht: In dem, was ich gelernt habe, steht dazu nichts.',
    mayHelp: 'Das hilft Ihnen vielleicht:',
    writeTo: 'Einen Menschen erreichen Sie unter {contact}.',
    noPerson:
      'Ich bin ein KI-Assistent und kann Sie hier nicht mit einem Menschen verbinden. Bitte nutzen Sie die Kontaktdaten auf unserer Website.',
    oneMoment: 'Einen Moment, bitte.',
    brokeOff: 'Die Antwort ist abgebrochen. Bitte fragen Sie noch einmal.'
  },
  fr: {
    isAi: 'Vous parlez à un assistant IA.',
    greeting: 'Bonjour ! Comment puis-je vous aider ?',
    thanks: 'Avec plaisir ! Puis-je faire autre chose pour vous ?',
    unknown: 'Je ne le sais pas : rien de ce que j’ai appris n’y répond.',
    mayHelp: 'Ceci peut vous aider :',
    writeTo: 'Vous pouvez joindre une personne à {contact}.',
    noPerson:
      'Je suis un assistant IA et je ne peux pas vous mettre en relation avec une personne ici. Utilisez les coordonnées de notre site.',
    oneMoment: 'Un instant, s’il vous plaît.',
    brokeOff: 'La réponse a été interrompue. Posez la question à nouveau.'
  },
  es: {
    isAi: 'Está hablando con un asistente de IA.',
    greeting: '¡Hola! ¿En qué puedo ayudarle?',
    thanks: '¡De nada! ¿Puedo ayudarle en algo más?',
    unknown: 'No lo sé: nada de lo que he aprendido lo responde.',
    mayHelp: 'Esto puede ayudarle:',
    writeTo: 'Puede contactar con una persona en {contact}.',
    noPerson:
      'Soy un asistente de IA y aquí no puedo ponerle en contacto con una persona. Use los datos de contacto de nuestra web.',
    oneMoment: 'Un momento, por favor.',
    brokeOff: 'La respuesta se interrumpió. Pregunte de nuevo.'
  },
  it: {
    isAi: 'Sta parlando con un assistente IA.',
    greeting: 'Salve! Come posso aiutarla?',
    thanks: 'Prego! Posso aiutarla in altro?',
    unknown: 'Non lo so: nulla di ciò che ho imparato risponde a questa domanda.',
    mayHelp: 'Questo potrebbe aiutarla:',
    writeTo: 'Può contattare una persona a {contact}.',
    noPerson:
      'Sono un assistente IA e qui non posso metterla in contatto con una persona. Usi i contatti sul nostro sito.',
    oneMoment: 'Un momento, per favore.',
    brokeOff: 'La risposta si è interrotta. Riprovi.'
  },
  pt: {
    isAi: 'Está a falar com um assistente de IA.',
    greeting: 'Olá! Como posso ajudar?',
    thanks: 'De nada! Posso ajudar em mais alguma coisa?',
    unknown: 'Não sei: nada do que aprendi responde a isso.',
    mayHelp: 'Isto pode ajudar:',
    writeTo: 'Pode contactar uma pessoa em {contact}.',
    noPerson: 'Sou um assistente de IA e não posso ligá-lo a uma pessoa aqui. Use os contactos no nosso site.',
    oneMoment: 'Um momento, por favor.',
    brokeOff: 'A resposta foi interrompida. Pergunte novamente.'
  },
  nl: {
    isAi: 'U praat met een AI-assistent.',
    greeting: 'Hallo! Waarmee kan ik u helpen?',
    thanks: 'Graag gedaan! Kan ik u nog ergens mee helpen?',
    unknown: 'Dat weet ik niet: niets van wat ik heb geleerd geeft daar antwoord op.',
    mayHelp: 'Dit kan helpen:',
    writeTo: 'U bereikt een medewerker via {contact}.',
    noPerson:
      'Ik ben een AI-assistent en kan u hier niet met een medewerker verbinden. Gebruik de contactgegevens op onze website.',
    oneMoment: 'Een moment, alstublieft.',
    brokeOff: 'Het antwoord brak af. Stel de vraag opnieuw.'
  },
  sv: {
    isAi: 'Du pratar med en AI-assistent.',
    greeting: 'Hej! Hur kan jag hjälpa dig?',
    thanks: 'Varsågod! Kan jag hjälpa dig med något mer?',
    unknown: 'Det vet jag inte: inget av det jag har lärt mig svarar på det.',
    mayHelp: 'Det här kan hjälpa:',
    writeTo: 'Du når en person på {contact}.',
    noPerson:
      'Jag är en AI-assistent och kan inte koppla dig till en person här. Använd kontaktuppgifterna på vår webbplats.',
    oneMoment: 'Ett ögonblick.',
    brokeOff: 'Svaret avbröts. Fråga igen.'
  },
  pl: {
    isAi: 'Rozmawiasz z asystentem AI.',
    greeting: 'Dzień dobry! W czym mogę pomóc?',
    thanks: 'Proszę bardzo! Czy mogę pomóc w czymś jeszcze?',
    unknown: 'Tego nie wiem: nic z tego, czego się nauczyłem, na to nie odpowiada.',
    mayHelp: 'To może pomóc:',
    writeTo: 'Z człowiekiem można się skontaktować pod adresem {contact}.',
    noPerson:
      'Jestem asystentem AI i nie mogę tu połączyć z człowiekiem. Skorzystaj z danych kontaktowych na naszej stronie.',
    oneMoment: 'Chwileczkę.',
    brokeOff: 'Odpowiedź została przerwana. Zapytaj ponownie.'
  },
  tr: {
    isAi: 'Bir yapay zekâ asistanıyla konuşuyorsunuz.',
    greeting: 'Merhaba! Size nasıl yardımcı olabilirim?',
    thanks: 'Rica ederim! Başka bir konuda yardımcı olabilir miyim?',
    unknown: 'Bunu bilmiyorum: öğrendiklerimde bunun yanıtı yok.',
    mayHelp: 'Bu yardımcı olabilir:',
    writeTo: 'Bir kişiye {contact} adresinden ulaşabilirsiniz.',
    noPerson:
      'Ben bir yapay zekâ asistanıyım ve sizi buradan bir kişiye bağlayamam. Lütfen sitemizdeki iletişim bilgilerini kullanın.',
    oneMoment: 'Bir dakika lütfen.',
    brokeOff: 'Yanıt yarıda kaldı. Lütfen yeniden sorun.'
  },
  ru: {
    isAi: 'Вы разговариваете с ИИ-ассистентом.',
    greeting: 'Здравствуйте! Чем могу помочь?',
    thanks: 'Пожалуйста! Могу ли я помочь чем-то ещё?',
    unknown: 'Я этого не знаю: в том, чему меня научили, ответа нет.',
    mayHelp: 'Возможно, это поможет:',
    writeTo: 'С человеком можно связаться по адресу {contact}.',
    noPerson: 'Я ИИ-ассистент и не могу соединить вас здесь с человеком. Воспользуйтесь контактами на нашем сайте.',
    oneMoment: 'Одну минуту, пожалуйста.',
    brokeOff: 'Ответ прервался. Спросите ещё раз.'
  },
  ar: {
    isAi: 'أنت تتحدث إلى مساعد ذكاء اصطناعي.',
    greeting: 'مرحبًا! كيف يمكنني مساعدتك؟',
    thanks: 'على الرحب والسعة! هل يمكنني مساعدتك في شيء آخر؟',
    unknown: 'لا أعرف ذلك: لا شيء مما تعلمته يجيب عنه.',
    mayHelp: 'قد يفيدك هذا:',
    writeTo: 'يمكنك التواصل مع شخص على {contact}.',
    noPerson: 'أنا مساعد ذكاء اصطناعي ولا أستطيع توصيلك بشخص هنا. يرجى استخدام بيانات الاتصال على موقعنا.',
    oneMoment: 'لحظة من فضلك.',
    brokeOff: 'انقطعت الإجابة. يرجى السؤال مرة أخرى.'
  },
  zh: {
    isAi: '您正在与 AI 助手对话。',
    greeting: '您好！有什么可以帮您？',
    thanks: '不客气！还有什么可以帮您的吗？',
    unknown: '我不知道：我学到的内容里没有这个问题的答案。',
    mayHelp: '以下内容可能有帮助：',
    writeTo: '您可以通过 {contact} 联系人工服务。',
    noPerson: '我是 AI 助手，无法在此为您转接人工。请使用我们网站上的联系方式。',
    oneMoment: '请稍等。',
    brokeOff: '回答中断了，请再问一次。'
  },
  ja: {
    isAi: 'AIアシスタントがお答えしています。',
    greeting: 'こんにちは。ご用件をお聞かせください。',
    thanks: 'どういたしまして。ほかにご用件はありますか。',
    unknown: '分かりません。学習した内容には答えがありませんでした。',
    mayHelp: '参考になるかもしれません：',
    writeTo: '担当者へのご連絡は {contact} までお願いします。',
    noPerson: '私はAIアシスタントで、ここから担当者におつなぎできません。ウェブサイトの連絡先をご利用ください。',
    oneMoment: '少々お待ちください。',
    brokeOff: '回答が途切れました。もう一度お尋ねください。'
  },
  ko: {
    isAi: 'AI 어시스턴트와 대화하고 있습니다.',
    greeting: '안녕하세요! 무엇을 도와드릴까요?',
    thanks: '천만에요! 더 도와드릴 일이 있을까요?',
    unknown: '잘 모르겠습니다. 제가 배운 내용에는 답이 없습니다.',
    mayHelp: '다음 내용이 도움이 될 수 있습니다:',
    writeTo: '담당자에게는 {contact}(으)로 연락하실 수 있습니다.',
    noPerson: '저는 AI 어시스턴트라서 여기서 담당자를 연결해 드릴 수 없습니다. 웹사이트의 연락처를 이용해 주세요.',
    oneMoment: '잠시만 기다려 주세요.',
    brokeOff: '답변이 중단되었습니다. 다시 질문해 주세요.'
  }
} as const satisfies Record<string, Phrases>

/** The fixed sentences of a language; English where there are none. */
export function phrasesOf (language: string | null): Phrases {
  return PHRASES[(language ?? 'en') as keyof typeof PHRASES] ?? PHRASES.en
}

const NOTICES = new Set<string>(Object.values(PHRASES).map(({ isAi }) => isAi))

/** An answer without the notice that its first one begins with, in whatever language. */
export function withoutNotice (text: string): string {
  const [first = ''] = text.split('\n\n', 1)
  return NOTICES.has(first) ? text.slice(first.length + 2) : text
}
