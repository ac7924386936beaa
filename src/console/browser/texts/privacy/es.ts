import type { PrivacyTexts } from './en.ts'

export const es: PrivacyTexts = {
  keeps: 'No se elimina nada: las conversaciones de este agente se conservan hasta que alguien las elimine.',
  nothing: 'Hoy no se eliminaría nada.',
  would: 'Se eliminaría lo siguiente. {what}',
  sent: {
    answers:
      'Lo que escriben los visitantes y la conversación hasta ese momento, para que responda un modelo de lenguaje',
    search: 'Lo que preguntan los visitantes, para encontrar fuentes por su significado',
    mail:
      'Conversaciones de los tickets, nombres y direcciones de correo; preguntas sin respuesta, con los datos personales ocultos',
    tickets: 'Conversaciones de los tickets, nombres y direcciones de correo',
    webhooks: 'El contenido de los eventos elegidos',
    actions: 'Lo que necesita una acción: los datos que dio el visitante y quién es',
    team_chat: 'Que ha ocurrido algo, con un enlace',
    push:
      'Que se llama a alguien del equipo y cuándo; va cifrado, de modo que el servicio no puede leer de quién se trata'
  }
}
