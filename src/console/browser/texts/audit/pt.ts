import type { AuditTexts } from './en.ts'

export const pt: AuditTexts = {
  checking: 'Verificando se nada foi alterado…',
  intact: 'Sem alterações. Verificado: {when}',
  changed:
    'Este registro foi alterado: a entrada de {time} não está como foi escrita. ' +
    'Peça ao operador que compare o registro com um backup anterior.',
  missing:
    'Este registro foi alterado: faltam entradas anteriores à de {time}. ' +
    'Peça ao operador que compare o registro com um backup anterior.',
  mark: 'Alterada'
}
