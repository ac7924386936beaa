/** A small place: what its agent is trained on, one text a source, and what visitors write to it. */
export interface Place {
  texts: Record<string, string>
  /** Whole questions, phrases of a word or two, and what nothing there answers. */
  asked: string
}

/** Small places whose pages are in one language, and whose visitors use it. */
export const PLACES: Readonly<Record<string, Place>> = {
  pt: {
    texts: {
      Horário: `Horário
Segunda a sexta: 9h00–13h00 e 14h30–19h00
Sábado: 9h00–13h00
Encerrado aos domingos e feriados.
Em agosto encerramos na segunda quinzena.`,
      'Tabela de preços': `Tabela de preços
Consulta de avaliação: 30 €
Destartarização: 50 €
Restauração simples: 45 €
Extração dentária: 60 €
Branqueamento: 220 €
Aparelho fixo: desde 900 €
Implante unitário: desde 1.100 €`,
      'Perguntas frequentes': `Perguntas frequentes
Como marco uma consulta?
Pode marcar por telefone, pelo 253 555 014, ou no formulário do nosso site. Confirmamos no próprio dia.
E se tiver de faltar?
Avise com 24 horas de antecedência. Sem aviso, cobramos 20 €.
Aceitam seguros?
Trabalhamos com a Médis, a Multicare e a ADSE. Traga o cartão.
Tratam crianças?
Sim, a partir dos três anos. A doutora Teresa Vaz dedica-se à odontopediatria.`,
      Urgências: `Urgências
Se tiver dores fortes, um dente partido ou a face inchada, ligue-nos logo de manhã: guardamos duas vagas por dia.
Fora de horas, contacte o 253 555 015.`,
      'Como chegar': `Como chegar
Estamos na Rua do Souto, 112, em Braga, no primeiro andar, com elevador.
Autocarros 7 e 24, paragem Arcada. Há um parque pago na Praça do Município.`
    },
    asked: `
Quanto custa uma destartarização?|preço implante|E ao sábado?|Horário|Aceitam Multicare?|ADSE?|Fazem branqueamento?|dores de dentes
Têm elevador?|Posso marcar por telefone?|morada|onde ficam|Tratam crianças de dois anos?|estão abertos em agosto|facetas?
Fazem ortodontia invisível?|Tem estacionamento?|Invisalign|quanto é|marcar consulta|desmarcar|Quem é a doutora Teresa?
Posso pagar com MB Way?|MB Way|cartão de crédito|anestesia|Posso levar o meu cão?|urgencia domingo|parti um dente|Fazem próteses?
preciso de fatura|Vendem escovas?|É preciso jejum?|pagamento em prestações|Dói?|quem atende|e se faltar|domingo`
  },
  nl: {
    texts: {
      Tarieven: `Tarieven
Stadsfiets: € 9 per dag
Elektrische fiets: € 24 per dag
Tandem: € 20 per dag
Bakfiets: € 28 per dag
Kinderfiets: € 6 per dag
Kinderzitje: € 2 per dag`,
      'Veelgestelde vragen': `Veelgestelde vragen
Moet ik borg betalen?
Ja, € 50 per fiets, bij een elektrische fiets € 150. U krijgt de borg terug als u de fiets heel inlevert.
Wat gebeurt er bij pech?
Bel ons op 0223 555 018. Wij brengen binnen een uur een andere fiets, overal op het eiland.
Kan ik reserveren?
Dat kan via de site of aan de telefoon. Annuleren is gratis tot 18.00 uur de avond ervoor.
Moet ik een legitimatie meenemen?
Ja, een paspoort, identiteitskaart of rijbewijs.`,
      Openingstijden: `Openingstijden
April tot oktober: elke dag 8.30–18.00 uur.
November tot maart: vrijdag tot zondag 10.00–16.00 uur.
Inleveren kan ook na sluitingstijd in het hek achter de winkel.`,
      Winkel: `Onze winkel
U vindt ons aan de Havenweg 4, recht tegenover de veerboot.
Wij herstellen ook fietsen van gasten: een lekke band plakken kost € 14.`
    },
    asked: `
Wat kost een tandem?|prijs bakfiets|borg|Hoe hoog is de borg?|lekke band|Mag ik de fiets later inleveren?|openingstijden|winter
Verhuren jullie helmen?|helm|hond mee?|Hebben jullie mandjes voor honden?|annuleren|telefoon|Waar zitten jullie?|adres
Kan ik met pin betalen?|contant|fietskaart|Is er korting voor groepen?|groepen|zondag open|Moet ik mijn paspoort meenemen?
paspoort|Bezorgen jullie ook bij het hotel?|bezorgen|e-bike|actieradius|Hoe ver kom ik met de accu?|pech onderweg|scooter
Verhuren jullie steppen?|ligfiets|kinderen|zitje|Wat als hij gestolen wordt?|diefstal|wifi`
  },
  cs: {
    texts: {
      'Otevírací doba': `Otevírací doba
Pondělí až pátek 8.00–17.00
Sobota 9.00–12.00
V neděli a o svátcích máme zavřeno.`,
      Ceník: `Ceník
Seřízení kola: 450 Kč
Výměna duše: 150 Kč
Výměna řetězu: 250 Kč
Centrování kola: 300 Kč
Velký servis: 1 200 Kč`,
      'Časté dotazy': `Časté dotazy
Jak dlouho oprava trvá?
Drobné opravy zvládneme na počkání, velký servis do tří dnů.
Musím se objednat?
Na velký servis ano, telefonicky na čísle 541 555 016. S defektem můžete přijít kdykoli.
Dáváte na opravy záruku?
Ano, šest měsíců na práci i na díly.
Půjčíte mi náhradní kolo?
Ano, za 100 Kč na den, pokud je nějaké volné.`,
      Kontakt: `Kde nás najdete
Dílna je na Lidické 21 v Brně, vchod ze dvora. Tramvaj 1 a 6, zastávka Pionýrská.`
    },
    asked: `
Kolik stojí seřízení kola?|cena řetězu|v sobotu|Musím se objednat?|objednání|záruka|Jak dlouho to trvá?|adresa|kde jste
Prodáváte i nová kola?|nová kola|půjčení kola|Opravujete elektrokola?|elektrokolo|brzdy|Kolik stojí výměna brzd?|platba kartou
Můžu platit kartou?|parkování|Je tam kde zaparkovat?|koloběžka|Spravujete koloběžky?|defekt|přijedete ke mně?|telefon|neděle
Máte helmy?|helmy|Vykupujete stará kola?|dětské sedačky|svátky|na počkání|dílna`
  },
  sv: {
    texts: {
      Öppettider: `Öppettider
Måndag–fredag 11–18
Lördag 11–15
Söndag stängt. I juli har vi öppet alla dagar 10–20.`,
      Priser: `Priser
Vuxen: 140 kr
Barn under 12 år: 70 kr
Barn under 3 år: gratis
Familj, två vuxna och två barn: 360 kr
Årskort: 490 kr`,
      'Frågor och svar': `Frågor och svar
Får man ta med hund?
Ja, kopplade hundar är välkomna i trädgården men inte i husen.
Kan man köpa mat?
Kaféet serverar soppa, smörgåsar och bullar. Egen matsäck går bra vid borden ute.
Har ni guidade visningar?
Varje lördag klockan 13 på svenska och klockan 14 på engelska. Visningen ingår i priset.
Kan vi fira kalas hos er?
Ja, i gamla skolan för upp till femton barn. Boka minst två veckor i förväg på 0520-555 019.`,
      'Hitta hit': `Hitta hit
Museet ligger vid Kanalvägen 8 i Åkerby. Buss 62 stannar utanför grinden. Parkeringen är gratis.`
    },
    asked: `
Vad kostar inträdet?|pris barn|årskort|Får man ta med hunden?|hund|kafé|Har ni glutenfri mat?|gluten|öppettider|söndag
Är ni öppna på midsommarafton?|midsommar|visning|När är nästa visning?|parkering|Kan man ladda elbilen?|elbil|buss|kalas
Kan man gifta sig hos er?|bröllop|rullstol|Är det tillgängligt för rullstol?|barnvagn|foto|Får man fotografera?|toalett
Finns det skötrum?|student|studentrabatt|grupp|Vad kostar det för en skolklass?|skolklass|presentkort|juli`
  }
}

/** The questions there, one by one. */
export const askedAt = ({ asked }: Place): string[] => asked.trim().split(/[|\n]/)
