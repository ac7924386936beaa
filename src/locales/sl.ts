import type { Sentences } from './contract.ts'

export default {
  agent: {
    isAi: 'Pogovarjate se s pomočnikom z umetno inteligenco.',
    greeting: 'Pozdravljeni! Kako vam lahko pomagam?',
    thanks: 'Ni za kaj! Vam lahko pomagam še pri čem?',
    unknown: 'Tega ne vem: v tem, kar sem se naučil, ni odgovora.',
    mayHelp: 'Morda pomaga to:',
    writeTo: 'Človeka dosežete na naslovu {contact}.',
    noPerson: 'Sem pomočnik z umetno inteligenco in vas tu ne morem povezati s človekom. Uporabite kontaktne podatke na naši spletni strani.',
    oneMoment: 'Trenutek, prosim.',
    brokeOff: 'Odgovor se je prekinil. Vprašajte še enkrat.',
    ok: 'V redu. Vprašajte, če bo še kaj.',
    sorry: 'Žal mi je, da to ni pomagalo.',
    bye: 'Nasvidenje!',
    canHelp: 'Vprašajte me karkoli o nas: odgovarjam iz naših lastnih besedil.',
    ourAddress: 'Naš naslov: {address}',
    whenAnswered: 'Vaša zahteva je že posredovana in oglasil se bo človek. Koliko časa bo to trajalo, ne vem.'
  },
  calls: {
    confirm: 'Prosimo, potrdite: {title}',
    approval: 'Najprej mora to odobriti sodelavec: {title}',
    done: 'Opravljeno: {title}',
    failed: 'Ni uspelo: {title}',
    lost: 'Ni še jasno, ali je uspelo: {title}. Preverjamo; dvakrat se ne bo izvedlo.',
    expired: 'Ni bilo pravočasno potrjeno, zato se ni nič izvedlo: {title}'
  }
} satisfies Sentences
