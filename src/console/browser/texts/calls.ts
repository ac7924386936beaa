import type { CallFailure } from '../../../../schema/actions.ts'
import { fill, language } from './index.ts'

/*
 * Why a call to another system failed. Loaded with the page of actions; in English the server's own words are shown.
 */

const de: Record<CallFailure | 'other' | 'lost', string> = {
  other: 'Das andere System',
  timeout: '{host} hat nicht rechtzeitig geantwortet. Versuchen Sie es später noch einmal.',
  no_such_host: 'Die Adresse {host} gibt es nicht. Prüfen Sie die Schreibweise.',
  untrusted: 'Die Verbindung zu {host} ist nicht sicher: Das Zertifikat wird nicht anerkannt.',
  unreachable: '{host} ist nicht erreichbar, oder die Verbindung ist abgebrochen. Versuchen Sie es später noch einmal.',
  address_refused: '{host} ist keine Adresse im öffentlichen Internet.',
  too_large: '{host} hat mehr gesendet, als hier erlaubt ist.',
  host_not_allowed: '{host} gehört nicht zu den erlaubten Hosts der Verbindung.',
  no_token: 'Von der Token-Adresse kam kein Zugangstoken. Prüfen Sie Adresse und Zugangsdaten der Verbindung.',
  denied: 'Der Zugriff wurde verweigert. Prüfen Sie die Zugangsdaten der Verbindung.',
  not_found: 'Das gibt es im anderen System nicht.',
  limited: 'Das andere System erhält zu viele Anfragen. Versuchen Sie es später noch einmal.',
  refused: 'Das andere System hat es abgelehnt.',
  server_error: 'Das andere System meldet einen Fehler.',
  redirected: 'Das andere System verweist auf eine andere Adresse. Dorthin wird nichts gesendet.',
  unreadable: 'Die Antwort des anderen Systems hat nicht die erwartete Form.',
  tool_changed: 'Das Werkzeug hat sich geändert, seit es eingeschaltet wurde. Es bleibt aus, bis es jemand geprüft hat.',
  tool_failed: 'Das Werkzeug meldet, dass es nicht gelungen ist.',
  needs_input: 'Das Werkzeug verlangt weitere Angaben. Das wird nicht unterstützt.',
  no_answer: 'Es kam keine Antwort.',
  stopped: 'Der Server wurde angehalten, bevor die Antwort kam.',
  not_confirmed: 'Es wurde nicht rechtzeitig bestätigt.',
  taken_over: 'Vorher hat jemand anderes das Gespräch übernommen.',
  changed: 'Die Aktion wurde vorher geändert oder ausgeschaltet.',
  lost: 'Möglicherweise wurde es trotzdem ausgeführt. Es wird nicht noch einmal gesendet.'
}

const es: typeof de = {
  other: 'El otro sistema',
  timeout: '{host} no ha respondido a tiempo. Inténtelo de nuevo más tarde.',
  no_such_host: 'La dirección {host} no existe. Compruebe cómo está escrita.',
  untrusted: 'La conexión con {host} no es segura: su certificado no es de confianza.',
  unreachable: 'No se puede acceder a {host} o la conexión se ha cortado. Inténtelo de nuevo más tarde.',
  address_refused: '{host} no es una dirección de la red pública.',
  too_large: '{host} ha enviado más de lo que se permite aquí.',
  host_not_allowed: '{host} no está entre los servidores permitidos de la conexión.',
  no_token: 'No se ha recibido ningún token de acceso. Compruebe la dirección y las credenciales de la conexión.',
  denied: 'Acceso denegado. Compruebe las credenciales de la conexión.',
  not_found: 'No existe en el otro sistema.',
  limited: 'El otro sistema recibe demasiadas solicitudes. Inténtelo de nuevo más tarde.',
  refused: 'El otro sistema lo ha rechazado.',
  server_error: 'El otro sistema ha devuelto un error.',
  redirected: 'El otro sistema redirige a otra dirección, a la que no se envía nada.',
  unreadable: 'La respuesta del otro sistema no tiene la forma esperada.',
  tool_changed: 'La herramienta ha cambiado desde que se activó. Queda desactivada hasta que alguien la revise.',
  tool_failed: 'La herramienta indica que no ha funcionado.',
  needs_input: 'La herramienta pide más datos, lo cual no se admite.',
  no_answer: 'No llegó ninguna respuesta.',
  stopped: 'El servidor se detuvo antes de que llegara la respuesta.',
  not_confirmed: 'No se confirmó a tiempo.',
  taken_over: 'Antes, otra persona se hizo cargo de la conversación.',
  changed: 'Antes, la acción se modificó o se desactivó.',
  lost: 'Es posible que se haya ejecutado de todos modos. No se vuelve a enviar.'
}

const fr: typeof de = {
  other: 'L’autre système',
  timeout: '{host} n’a pas répondu à temps. Réessayez plus tard.',
  no_such_host: 'L’adresse {host} n’existe pas. Vérifiez son orthographe.',
  untrusted: 'La connexion à {host} n’est pas sûre : son certificat n’est pas reconnu.',
  unreachable: '{host} est injoignable, ou la connexion a été coupée. Réessayez plus tard.',
  address_refused: '{host} n’est pas une adresse de l’internet public.',
  too_large: '{host} a envoyé plus que ce qui est autorisé ici.',
  host_not_allowed: '{host} ne fait pas partie des hôtes autorisés de la connexion.',
  no_token: 'Aucun jeton d’accès n’a été reçu. Vérifiez l’adresse et les identifiants de la connexion.',
  denied: 'L’accès a été refusé. Vérifiez les identifiants de la connexion.',
  not_found: 'Cela n’existe pas dans l’autre système.',
  limited: 'L’autre système reçoit trop de requêtes. Réessayez plus tard.',
  refused: 'L’autre système l’a refusé.',
  server_error: 'L’autre système signale une erreur.',
  redirected: 'L’autre système renvoie vers une autre adresse, à laquelle rien n’est envoyé.',
  unreadable: 'La réponse de l’autre système n’a pas la forme attendue.',
  tool_changed: 'L’outil a changé depuis son activation. Il reste désactivé jusqu’à ce que quelqu’un l’ait vérifié.',
  tool_failed: 'L’outil signale un échec.',
  needs_input: 'L’outil demande d’autres informations, ce qui n’est pas pris en charge.',
  no_answer: 'Aucune réponse n’est arrivée.',
  stopped: 'Le serveur s’est arrêté avant l’arrivée de la réponse.',
  not_confirmed: 'La confirmation n’est pas arrivée à temps.',
  taken_over: 'Quelqu’un d’autre avait repris la conversation entre-temps.',
  changed: 'L’action avait été modifiée ou désactivée entre-temps.',
  lost: 'L’opération a peut-être eu lieu quand même. Elle n’est pas renvoyée.'
}

const pt: typeof de = {
  other: 'O outro sistema',
  timeout: '{host} não respondeu a tempo. Tente de novo mais tarde.',
  no_such_host: 'O endereço {host} não existe. Verifique se está escrito corretamente.',
  untrusted: 'A conexão com {host} não é segura: o certificado não é reconhecido.',
  unreachable: 'Não foi possível acessar {host}, ou a conexão caiu. Tente de novo mais tarde.',
  address_refused: '{host} não é um endereço da internet pública.',
  too_large: '{host} enviou mais do que é permitido aqui.',
  host_not_allowed: '{host} não está entre os servidores permitidos da conexão.',
  no_token: 'Nenhum token de acesso foi recebido. Verifique o endereço e as credenciais da conexão.',
  denied: 'Acesso negado. Verifique as credenciais da conexão.',
  not_found: 'Isso não existe no outro sistema.',
  limited: 'O outro sistema recebe solicitações demais. Tente de novo mais tarde.',
  refused: 'O outro sistema recusou.',
  server_error: 'O outro sistema informou um erro.',
  redirected: 'O outro sistema redireciona para outro endereço, ao qual nada é enviado.',
  unreadable: 'A resposta do outro sistema não tem a forma esperada.',
  tool_changed: 'A ferramenta mudou desde que foi ativada. Ela fica desativada até que alguém a verifique.',
  tool_failed: 'A ferramenta informa que não deu certo.',
  needs_input: 'A ferramenta pede mais dados, o que não é suportado.',
  no_answer: 'Nenhuma resposta chegou.',
  stopped: 'O servidor parou antes de a resposta chegar.',
  not_confirmed: 'Não foi confirmado a tempo.',
  taken_over: 'Antes disso, outra pessoa assumiu a conversa.',
  changed: 'Antes disso, a ação foi alterada ou desativada.',
  lost: 'Talvez tenha sido executado mesmo assim. Não é enviado de novo.'
}

const ALL: Record<string, typeof de> = { de, es, fr, pt }

/** A failure as the server records it: in an English sentence, and as a code. */
export interface Failed { error: string, code: CallFailure | null, isLost?: boolean }

/**
 * Why a request to another system failed, in the reader's language. `isLost`: it may have been carried out all the
 * same. Undefined for a failure without a code.
 */
export function callSaid ({ error, code, isLost = false }: Failed): string | undefined {
  const words = ALL[language.value]
  if (!words) return error
  const said = code && words[code]
  if (!said) return undefined
  // The address is in the sentence alone, which begins with it.
  const [first = ''] = error.split(' ')
  const host = /[.:]/.test(first) ? first : words.other
  return [fill(said, { host }), ...isLost ? [words.lost] : []].join(' ')
}
