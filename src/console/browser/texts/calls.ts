import { fill, language } from './index.ts'

/*
 * Why a call to another system failed. Loaded with the page of actions; in English the server's own words are shown.
 */

const de = {
  other: 'Das andere System',
  timeout: '{host} hat nicht rechtzeitig geantwortet. Versuchen Sie es später noch einmal.',
  noHost: 'Die Adresse {host} gibt es nicht. Prüfen Sie die Schreibweise.',
  distrusted: 'Die Verbindung zu {host} ist nicht sicher: Das Zertifikat wird nicht anerkannt.',
  unreachable: '{host} ist nicht erreichbar, oder die Verbindung ist abgebrochen. Versuchen Sie es später noch einmal.',
  address: '{host} ist keine Adresse im öffentlichen Internet.',
  tooLarge: '{host} hat mehr gesendet, als hier erlaubt ist.',
  answered: 'Das andere System meldet einen Fehler ({status}).',
  lost: 'Möglicherweise wurde es trotzdem ausgeführt. Es wird nicht noch einmal gesendet.'
}

const es: typeof de = {
  other: 'El otro sistema',
  timeout: '{host} no ha respondido a tiempo. Inténtelo de nuevo más tarde.',
  noHost: 'La dirección {host} no existe. Compruebe cómo está escrita.',
  distrusted: 'La conexión con {host} no es segura: su certificado no es de confianza.',
  unreachable: 'No se puede acceder a {host} o la conexión se ha cortado. Inténtelo de nuevo más tarde.',
  address: '{host} no es una dirección de la red pública.',
  tooLarge: '{host} ha enviado más de lo que se permite aquí.',
  answered: 'El otro sistema ha devuelto un error ({status}).',
  lost: 'Es posible que se haya ejecutado de todos modos. No se vuelve a enviar.'
}

const fr: typeof de = {
  other: 'L’autre système',
  timeout: '{host} n’a pas répondu à temps. Réessayez plus tard.',
  noHost: 'L’adresse {host} n’existe pas. Vérifiez son orthographe.',
  distrusted: 'La connexion à {host} n’est pas sûre : son certificat n’est pas reconnu.',
  unreachable: '{host} est injoignable, ou la connexion a été coupée. Réessayez plus tard.',
  address: '{host} n’est pas une adresse de l’internet public.',
  tooLarge: '{host} a envoyé plus que ce qui est autorisé ici.',
  answered: 'L’autre système signale une erreur ({status}).',
  lost: 'L’opération a peut-être eu lieu quand même. Elle n’est pas renvoyée.'
}

const pt: typeof de = {
  other: 'O outro sistema',
  timeout: '{host} não respondeu a tempo. Tente de novo mais tarde.',
  noHost: 'O endereço {host} não existe. Verifique se está escrito corretamente.',
  distrusted: 'A conexão com {host} não é segura: o certificado não é reconhecido.',
  unreachable: 'Não foi possível acessar {host}, ou a conexão caiu. Tente de novo mais tarde.',
  address: '{host} não é um endereço da internet pública.',
  tooLarge: '{host} enviou mais do que é permitido aqui.',
  answered: 'O outro sistema informou um erro ({status}).',
  lost: 'Talvez tenha sido executado mesmo assim. Não é enviado de novo.'
}

const ALL: Record<string, typeof de> = { de, es, fr, pt }

/** The server's sentences, the more specific ones first. */
const SENTENCES: ReadonlyArray<[RegExp, Exclude<keyof typeof de, 'other' | 'lost'>]> = [
  [/took too long/, 'timeout'],
  [/there is no such host/, 'noHost'],
  [/cannot be trusted/, 'distrusted'],
  [/cannot be reached|could not be asked/, 'unreachable'],
  [/not on the public internet|not a valid address/, 'address'],
  [/ sent (?:more than|headers larger)/, 'tooLarge'],
  [/answered (\d{3})/, 'answered']
]
/** The end of the sentence about a request whose outcome is not known. */
const MAY_BE_DONE = /may have been done/

/**
 * Why a request to another system failed, in the reader's language: the server says it in English. Undefined for a
 * sentence that is not known here.
 */
export function callSaid (sentence: string): string | undefined {
  const words = ALL[language.value]
  if (!words) return sentence
  const found = SENTENCES.find(([known]) => known.test(sentence))
  const [, status = ''] = found?.[0].exec(sentence) ?? []
  const [first = ''] = sentence.split(' ')
  const host = /[.:]/.test(first) ? first : words.other
  const said = [found && words[found[1]], MAY_BE_DONE.test(sentence) && words.lost].filter((one) => typeof one === 'string')
  return said.length > 0 ? said.map((one) => fill(one, { host, status })).join(' ') : undefined
}
