import type { Sentences } from './contract.ts'

export default {
  agent: {
    isAi: 'Razgovarate s pomoćnikom umjetne inteligencije.',
    greeting: 'Dobar dan! Kako vam mogu pomoći?',
    thanks: 'Nema na čemu! Mogu li vam pomoći s još nečim?',
    unknown: 'To ne znam: ništa od onoga što sam naučio ne odgovara na to.',
    mayHelp: 'Možda pomaže ovo:',
    writeTo: 'Osobu možete dobiti na {contact}.',
    noPerson: 'Ja sam pomoćnik umjetne inteligencije i ovdje vas ne mogu spojiti s osobom. Poslužite se podacima za kontakt na našoj stranici.',
    oneMoment: 'Trenutak, molim.',
    brokeOff: 'Odgovor je prekinut. Pitajte ponovno.',
    ok: 'U redu. Pitajte ako bude još nešto.',
    sorry: 'Žao mi je što vam to nije pomoglo.',
    bye: 'Doviđenja!',
    canHelp: 'Pitajte me što god želite znati o nama: odgovaram iz naših vlastitih tekstova.',
    ourAddress: 'Naša adresa: {address}',
    whenAnswered: 'Vaš je upit već proslijeđen i javit će vam se osoba. Ne znam koliko će to trajati.'
  },
  calls: {
    confirm: 'Molimo potvrdite: {title}',
    approval: 'Najprije to mora odobriti kolega: {title}',
    done: 'Gotovo: {title}',
    failed: 'Nije uspjelo: {title}',
    lost: 'Još nije jasno je li uspjelo: {title}. Provjeravamo; neće se izvršiti dvaput.',
    expired: 'Nije potvrđeno na vrijeme, pa ništa nije učinjeno: {title}'
  }
} satisfies Sentences
