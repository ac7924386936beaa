import type { PrivacyTexts } from './en.ts'

export const pt: PrivacyTexts = {
  keeps: 'Nada é excluído: as conversas deste agente são mantidas até que alguém as exclua.',
  nothing: 'Hoje nada seria excluído.',
  would: 'Isto seria excluído. {what}',
  sent: {
    answers: 'O que os visitantes escrevem e a conversa até ali, para que um modelo de linguagem possa responder',
    search: 'O que os visitantes perguntam, para encontrar fontes pelo significado',
    mail: 'Conversas dos tickets, nomes e endereços de e-mail; perguntas sem resposta, com dados pessoais ocultos',
    tickets: 'Conversas dos tickets, nomes e endereços de e-mail',
    webhooks: 'O conteúdo dos eventos escolhidos',
    actions: 'O que uma ação precisa: os dados que o visitante informou e quem ele é',
    team_chat: 'Que algo aconteceu, com um link',
    push: 'Que alguém da equipe é chamado e quando; criptografado, então o serviço não consegue ler de quem se trata'
  }
}
