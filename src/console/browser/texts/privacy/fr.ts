import type { PrivacyTexts } from './en.ts'

export const fr: PrivacyTexts = {
  keeps: 'Rien n’est supprimé : les conversations de cet agent sont conservées jusqu’à ce que quelqu’un les supprime.',
  nothing: 'Rien ne serait supprimé aujourd’hui.',
  would: 'Voici ce qui serait supprimé. {what}',
  sent: {
    answers:
      'Ce que les visiteurs écrivent et le début de la conversation, pour qu’un modèle de langage puisse répondre',
    search: 'Ce que les visiteurs demandent, pour trouver les sources qui ont le même sens',
    mail:
      'Les conversations des tickets, les noms et les adresses e-mail ; les questions restées sans réponse, masquées',
    tickets: 'Les conversations des tickets, les noms et les adresses e-mail',
    webhooks: 'Le contenu des événements choisis',
    actions: 'Ce dont une action a besoin : les données fournies par le visiteur, et son identité',
    team_chat: 'Le fait que quelque chose s’est produit, avec un lien',
    push:
      'Le fait qu’une personne de l’équipe est appelée, et quand ; c’est chiffré, le service ne peut pas lire pour qui'
  }
}
