/** What we say ourselves in mails to visitors, in each language that has it. `{{name}}` is the name of an agent. */
export interface MailWords {
  /** Stands above the quoted part: an answer is what is written above it. */
  above: string
  /** Who has written what the agent has. */
  agent: string
  /** Under a mail that nobody asked for: why it came, and what to do. */
  unasked: string
}

const WORDS = {
  en: {
    above: '--- Please write above this line ---',
    agent: 'Agent (AI)',
    unasked: 'You left your address in the chat with {{name}}. Answer this mail to go on; if you do not want to, do nothing.'
  },
  de: {
    above: '--- Bitte schreiben Sie über dieser Zeile ---',
    agent: 'Assistent (KI)',
    unasked:
      'Sie haben Ihre Adresse im Chat mit {{name}} hinterlassen. Antworten Sie auf diese Mail, um fortzufahren; wenn Sie das nicht möchten, müssen Sie nichts tun.'
  },
  fr: {
    above: '--- Écrivez au-dessus de cette ligne ---',
    agent: 'Assistant (IA)',
    unasked:
      'Vous avez laissé votre adresse dans la discussion avec {{name}}. Répondez à ce message pour continuer ; sinon, vous n’avez rien à faire.'
  },
  es: {
    above: '--- Escriba por encima de esta línea ---',
    agent: 'Asistente (IA)',
    unasked:
      'Dejó su dirección en el chat con {{name}}. Responda a este correo para continuar; si no lo desea, no tiene que hacer nada.'
  },
  it: {
    above: '--- Scriva sopra questa riga ---',
    agent: 'Assistente (IA)',
    unasked:
      'Ha lasciato il suo indirizzo nella chat con {{name}}. Risponda a questa e-mail per continuare; se non lo desidera, non deve fare nulla.'
  },
  pt: {
    above: '--- Escreva acima desta linha ---',
    agent: 'Assistente (IA)',
    unasked:
      'Deixou o seu endereço na conversa com {{name}}. Responda a este e-mail para continuar; se não quiser, não precisa de fazer nada.'
  },
  nl: {
    above: '--- Schrijf boven deze regel ---',
    agent: 'Assistent (AI)',
    unasked:
      'U hebt uw adres achtergelaten in de chat met {{name}}. Beantwoord deze e-mail om verder te gaan; wilt u dat niet, dan hoeft u niets te doen.'
  },
  sv: {
    above: '--- Skriv ovanför den här raden ---',
    agent: 'Assistent (AI)',
    unasked:
      'Du lämnade din adress i chatten med {{name}}. Svara på det här mejlet för att fortsätta; om du inte vill behöver du inte göra något.'
  },
  pl: {
    above: '--- Proszę pisać powyżej tej linii ---',
    agent: 'Asystent (AI)',
    unasked:
      'Ten adres został podany w czacie z {{name}}. Aby kontynuować, wystarczy odpowiedzieć na tę wiadomość; w przeciwnym razie nie trzeba nic robić.'
  },
  tr: {
    above: '--- Lütfen bu satırın üstüne yazın ---',
    agent: 'Asistan (YZ)',
    unasked:
      '{{name}} ile sohbette adresinizi bıraktınız. Devam etmek için bu e-postayı yanıtlayın; istemiyorsanız bir şey yapmanız gerekmez.'
  },
  ru: {
    above: '--- Пожалуйста, пишите выше этой строки ---',
    agent: 'Ассистент (ИИ)',
    unasked:
      'Вы оставили свой адрес в чате с {{name}}. Чтобы продолжить, ответьте на это письмо; если не хотите, ничего делать не нужно.'
  },
  ar: {
    above: '--- يرجى الكتابة فوق هذا السطر ---',
    agent: 'المساعد (ذكاء اصطناعي)',
    unasked: 'لقد تركت عنوانك في المحادثة مع {{name}}. أجب عن هذه الرسالة للمتابعة، وإن لم ترغب فلا تفعل شيئًا.'
  },
  zh: {
    above: '--- 请在此行上方输入 ---',
    agent: '助手（AI）',
    unasked: '您在与 {{name}} 的对话中留下了邮箱地址。回复此邮件即可继续；如不需要，请忽略。'
  },
  ja: {
    above: '--- この線より上にご記入ください ---',
    agent: 'アシスタント（AI）',
    unasked:
      '{{name}} とのチャットでメールアドレスをお残しいただきました。続けるにはこのメールにご返信ください。不要な場合は何もなさらなくて結構です。'
  },
  ko: {
    above: '--- 이 줄 위에 작성해 주세요 ---',
    agent: '어시스턴트(AI)',
    unasked:
      '{{name}}와(과)의 채팅에서 이메일 주소를 남기셨습니다. 계속하려면 이 메일에 답장해 주세요. 원하지 않으시면 아무것도 하지 않으셔도 됩니다.'
  }
} as const satisfies Record<string, MailWords>

/** The languages that have them. */
export const MAIL_LANGUAGES = Object.keys(WORDS)

/** What mails to visitors say in a language; in English where there is nothing in theirs. */
export function mailWordsOf (language: string | null): MailWords {
  return WORDS[(language ?? 'en') as keyof typeof WORDS] ?? WORDS.en
}

const ABOVE = Object.values(WORDS).map(({ above }) => above)

/** Whether a line is the one, in any language, above which people are asked to write. */
export const isAbove = (line: string) => ABOVE.some((above) => line.includes(above))
