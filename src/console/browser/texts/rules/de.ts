import type { RuleTexts } from './en.ts'

export const de: RuleTexts = {
  intro:
    'Regeln greifen, bevor der Agent eine Nachricht verarbeitet und bevor Besucher eine Antwort sehen. Sie gelten von oben nach unten: Die erste, die ablehnt, einen Menschen ruft oder ein Ticket eröffnet, entscheidet. Regeln, die Wörter schwärzen oder Schlagwörter setzen, gelten zusätzlich.',
  empty: 'Noch keine Regeln',
  emptyText:
    'Gibt es etwas, das der Agent nie selbst beantworten soll, ein Wort, das niemand lesen soll, oder eine Art von Gesprächen, die Sie wiederfinden möchten? Legen Sie dafür eine Regel an.',
  add: 'Regel hinzufügen',
  change: 'Regel ändern',
  edit: 'Ändern',
  remove: 'Entfernen',
  removeTitle: 'Diese Regel entfernen?',
  up: '{rule} nach oben',
  down: '{rule} nach unten',
  nameHint: 'So sieht sie Ihr Team im Posteingang und in der Auswertung. Besucher sehen den Namen nie.',
  when: 'Prüft',
  whens: { asked: 'Was Besucher schreiben', answered: 'Was der Agent antwortet' },
  by: 'Reagiert auf',
  bys: { words: 'Wörter', questions: 'Fragen wie diese', language: 'Eine Sprache', other_language: 'Andere Sprachen' },
  of: { words: 'Wörter und Ausdrücke', questions: 'Fragen', language: 'Sprachen', other_language: 'Alle außer diesen Sprachen' },
  ofHint: {
    words: 'Eines pro Zeile. Groß- und Kleinschreibung, Akzente und Endungen zählen nicht: „Anwalt“ findet auch „Anwälte“.',
    questions: 'Eine pro Zeile. Auch Fragen, die mit ähnlichen Wörtern dasselbe fragen, zählen.',
    language: 'Ihre Kürzel, eines pro Zeile: de, fr.',
    other_language:
      'Ihre Kürzel, eines pro Zeile: de, fr. Die Regel greift, wenn es eindeutig eine andere Sprache ist.'
  },
  does: 'Aktion',
  doing: { refuse: 'Lehnt ab', hand_off: 'Ruft einen Menschen', ticket: 'Eröffnet ein Ticket', mask: 'Schwärzt die Wörter', tag: 'Setzt Schlagwörter' },
  maskHint:
    'Aus den Wörtern wird •••, bevor die Nachricht gespeichert, von einem Modell gelesen oder von jemandem gesehen wird. Sie lassen sich nicht wiederherstellen.',
  tagsHint:
    'Bis zu fünf, durch Kommas getrennt. Das Gespräch bekommt sie, egal was sonst mit der Nachricht geschieht. Besucher sehen sie nie.',
  text: 'Was der Besucher liest',
  textHint: 'Leer: „Einen Moment, bitte.“',
  match: 'Muss greifen bei',
  noMatch: 'Darf nicht greifen bei',
  testsHint: 'Eines pro Zeile. Die Regel wird nur gespeichert, wenn sie diese Tests besteht.',
  enabled: 'Die Regel ist an',
  off: 'Aus',
  onMost: 'Greift bei den meisten Nachrichten',
  tryOne: 'Mit den letzten 30 Tagen testen',
  tryAll: 'Mit den letzten 30 Tagen testen',
  looked: 'Geprüft: {asked} Nachrichten von Besuchern und {answered} Antworten der letzten 30 Tage.',
  matched: '{n} von {of} Nachrichten',
  others: 'Bei {n} davon entscheidet eine Regel weiter oben.',
  nothingSaid: 'Aus den letzten 30 Tagen gibt es keine Nachrichten zum Testen.',
  examples: 'Die neuesten',
  broad: 'Diese Regel würde bei den meisten Nachrichten greifen. Fassen Sie sie enger, oder bestätigen Sie, dass sie das darf.',
  confirm: 'Sie darf bei den meisten Nachrichten greifen',
  confirmHint: 'Nur, wenn Sie das wirklich wollen.',
  incomplete: 'Geben Sie zuerst an, wobei die Regel greift.',
  failsMatch: 'Die Regel greift nicht bei „{text}“, muss es aber. Ändern Sie die Regel oder ihre Tests.',
  failsNoMatch: 'Die Regel greift bei „{text}“, darf es aber nicht. Ändern Sie die Regel oder ihre Tests.'
}
