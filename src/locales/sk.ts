import type { Sentences } from './contract.ts'

export default {
  agent: {
    isAi: 'Rozprávate sa s asistentom umelej inteligencie.',
    greeting: 'Dobrý deň! Ako vám môžem pomôcť?',
    thanks: 'Nie je za čo! Môžem vám pomôcť ešte s niečím?',
    unknown: 'To neviem: nič z toho, čo ma naučili, na to neodpovedá.',
    mayHelp: 'Možno pomôže toto:',
    writeTo: 'Človeka zastihnete na adrese {contact}.',
    noPerson: 'Som asistent umelej inteligencie a nemôžem vás tu spojiť s človekom. Použite, prosím, kontaktné údaje na našej stránke.',
    oneMoment: 'Okamih, prosím.',
    brokeOff: 'Odpoveď sa prerušila. Spýtajte sa, prosím, znova.',
    ok: 'Dobre. Keby bolo ešte niečo, pýtajte sa.',
    sorry: 'Mrzí ma, že vám to nepomohlo.',
    bye: 'Dovidenia!',
    canHelp: 'Opýtajte sa ma na čokoľvek o nás: odpovedám podľa našich vlastných textov.',
    ourAddress: 'Naša adresa: {address}',
    whenAnswered: 'Vaša požiadavka už bola odovzdaná a ozve sa Vám človek. Ako dlho to potrvá, neviem.'
  },
  calls: {
    confirm: 'Potvrďte, prosím: {title}',
    approval: 'Najprv to musí schváliť kolega: {title}',
    done: 'Hotovo: {title}',
    failed: 'Nepodarilo sa: {title}',
    lost: 'Zatiaľ nie je jasné, či sa to podarilo: {title}. Zisťujeme to; dvakrát sa to nevykoná.',
    expired: 'Nebolo včas potvrdené, takže sa nič nevykonalo: {title}'
  }
} satisfies Sentences
