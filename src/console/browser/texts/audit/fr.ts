import type { AuditTexts } from './en.ts'

export const fr: AuditTexts = {
  checking: 'Vérification de l’intégrité…',
  intact: 'Intact. Vérifié : {when}',
  changed:
    'Ce journal a été modifié : l’entrée du {time} n’est plus telle qu’elle a été écrite. ' +
    'Demandez à votre exploitant de comparer le journal avec une sauvegarde antérieure.',
  missing:
    'Ce journal a été modifié : des entrées manquent avant celle du {time}. ' +
    'Demandez à votre exploitant de comparer le journal avec une sauvegarde antérieure.',
  mark: 'Modifiée'
}
