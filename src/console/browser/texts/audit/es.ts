import type { AuditTexts } from './en.ts'

export const es: AuditTexts = {
  checking: 'Se comprueba que nada se haya alterado…',
  intact: 'Sin alteraciones. Comprobado: {when}',
  changed:
    'Este registro se ha alterado: la entrada del {time} no está como se escribió. ' +
    'Pida a su operador que compare el registro con una copia de seguridad anterior.',
  missing:
    'Este registro se ha alterado: faltan entradas anteriores a la del {time}. ' +
    'Pida a su operador que compare el registro con una copia de seguridad anterior.',
  mark: 'Alterada'
}
