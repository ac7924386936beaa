import type { Sentences } from './contract.ts'

export default {
  agent: {
    isAi: 'Esteu parlant amb un assistent d’IA.',
    greeting: 'Hola! En què us puc ajudar?',
    thanks: 'De res! Us puc ajudar en alguna cosa més?',
    unknown: 'No ho sé: res del que he après respon a això.',
    mayHelp: 'Això us pot ajudar:',
    writeTo: 'Podeu contactar amb una persona a {contact}.',
    noPerson: 'Soc un assistent d’IA i aquí no us puc posar en contacte amb una persona. Feu servir les dades de contacte del nostre web.',
    oneMoment: 'Un moment, si us plau.',
    brokeOff: 'La resposta s’ha interromput. Torneu a preguntar-ho.',
    ok: 'D’acord. Pregunteu-me si necessiteu res més.',
    sorry: 'Em sap greu no haver-vos pogut ajudar.',
    bye: 'Fins aviat!',
    canHelp: 'Pregunteu-me el que vulgueu saber de nosaltres: responc a partir dels nostres propis textos.',
    ourAddress: 'La nostra adreça: {address}',
    whenAnswered: 'La seva petició ja s’ha transmès i una persona es posarà en contacte amb vostè. No sé quant trigarà.'
  },
  calls: {
    confirm: 'Confirmeu-ho, si us plau: {title}',
    approval: "Primer ho ha d'aprovar un company: {title}",
    done: 'Fet: {title}',
    failed: 'No ha funcionat: {title}',
    lost: 'Encara no se sap si ha funcionat: {title}. Ho estem comprovant; no es farà dues vegades.',
    expired: "No s'ha confirmat a temps, així que no s'ha fet res: {title}"
  }
} satisfies Sentences
