import type { AuditTexts } from './en.ts'

export const de: AuditTexts = {
  checking: 'Wird auf Änderungen geprüft …',
  intact: 'Unverändert. Geprüft: {when}',
  changed:
    'Dieses Protokoll wurde verändert: Der Eintrag vom {time} ist nicht mehr so, wie er geschrieben wurde. ' +
    'Bitten Sie Ihren Betreiber, das Protokoll mit einer früheren Sicherung zu vergleichen.',
  missing:
    'Dieses Protokoll wurde verändert: Vor dem Eintrag vom {time} fehlen Einträge. ' +
    'Bitten Sie Ihren Betreiber, das Protokoll mit einer früheren Sicherung zu vergleichen.',
  mark: 'Verändert'
}
