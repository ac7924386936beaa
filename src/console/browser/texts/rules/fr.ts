import type { RuleTexts } from './en.ts'

export const fr: RuleTexts = {
  intro:
    'Les règles agissent avant que l’agent ne traite un message, et avant qu’un visiteur ne voie une réponse. Elles s’appliquent de haut en bas : la première qui refuse, appelle un conseiller ou ouvre un ticket décide. Celles qui masquent des mots ou ajoutent des étiquettes s’appliquent en plus.',
  empty: 'Pas encore de règle',
  emptyText: 'Y a-t-il une question à laquelle l’agent ne doit jamais répondre lui-même, un mot que personne ne doit lire, ou un genre de conversations que vous voulez retrouver ? Ajoutez une règle.',
  add: 'Ajouter une règle',
  change: 'Modifier la règle',
  edit: 'Modifier',
  remove: 'Supprimer',
  removeTitle: 'Supprimer cette règle ?',
  up: 'Monter {rule}',
  down: 'Descendre {rule}',
  nameHint:
    'Ce que votre équipe voit dans la boîte de réception et les statistiques. Les visiteurs ne le voient jamais.',
  when: 'Examine',
  whens: { asked: 'Ce que les visiteurs écrivent', answered: 'Ce que l’agent répond' },
  by: 'Se déclenche sur',
  bys: { words: 'Des mots', questions: 'Des questions semblables', language: 'Une langue', other_language: 'Les autres langues' },
  of: { words: 'Mots et expressions', questions: 'Questions', language: 'Langues', other_language: 'Toutes les langues sauf' },
  ofHint: {
    words: 'Un par ligne. La casse, les accents et les terminaisons ne comptent pas : « avocat » trouve aussi « Avocats ».',
    questions: 'Une par ligne. Les questions semblables, posées avec des mots proches, comptent aussi.',
    language: 'Leurs codes, un par ligne : de, fr.',
    other_language: 'Leurs codes, un par ligne : de, fr. La règle agit si la langue est clairement une autre.'
  },
  does: 'Action',
  doing: { refuse: 'Refuse', hand_off: 'Appelle un conseiller', ticket: 'Ouvre un ticket', mask: 'Masque les mots', tag: 'Ajoute des étiquettes' },
  maskHint:
    'Les mots deviennent ••• avant que le message ne soit enregistré, lu par un modèle ou vu par quelqu’un. Ils ne peuvent pas être rétablis.',
  tagsHint:
    'Cinq au plus, séparées par des virgules. La conversation les reçoit, quoi qu’il arrive au message. Les visiteurs ne les voient jamais.',
  text: 'Ce qui est dit au visiteur',
  textHint: 'Vide : « Un instant, s’il vous plaît. »',
  match: 'Doit agir sur',
  noMatch: 'Ne doit pas agir sur',
  testsHint: 'Un par ligne. La règle n’est enregistrée que si elle réussit ces tests.',
  enabled: 'La règle est active',
  off: 'Inactive',
  onMost: 'Agit sur la plupart des messages',
  tryOne: 'Essayer sur les 30 derniers jours',
  tryAll: 'Essayer sur les 30 derniers jours',
  looked: '{asked} messages de visiteurs et {answered} réponses des 30 derniers jours ont été examinés.',
  matched: '{n} messages sur {of}',
  others: 'Pour {n} d’entre eux, une règle plus haut décide.',
  nothingSaid: 'Aucun message des 30 derniers jours ne permet de l’essayer.',
  examples: 'Les plus récents',
  broad: 'Cette règle agirait sur la plupart des messages. Resserrez-la, ou confirmez qu’elle le peut.',
  confirm: 'Elle peut agir sur la plupart des messages',
  confirmHint: 'Seulement si c’est vraiment ce que vous voulez.',
  incomplete: 'Indiquez d’abord sur quoi la règle agit.',
  failsMatch: 'La règle n’agit pas sur « {text} », alors qu’elle le doit. Modifiez la règle ou ses tests.',
  failsNoMatch: 'La règle agit sur « {text} », alors qu’elle ne le doit pas. Modifiez la règle ou ses tests.'
}
