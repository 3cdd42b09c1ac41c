"""Names of people, places and companies to draw from; kept here so that a state never depends on a package's release."""

from __future__ import annotations

import unicodedata

from envscaler_mcp.sampling.chance import Chance


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FIRST = _words(
    """Ada Aisha Alejandro Alice Amara Ana Anders Andrea Anika Antonio Arjun Astrid Ayumi Beatriz Benjamin Bianca Bruno
    Camila Carlos Carmen Catherine Chen Chiara Chloe Clara Daniel Daria David Deepa Diego Dmitri Edith Elena Elias Elif
    Emeka Emil Emma Erik Esther Eva Farah Fatima Felix Fiona Florian Francesca Freya Gabriel George Grace Greta Hana
    Hannah Hassan Helen Henrik Hugo Ibrahim Ida Imani Ines Ingrid Irina Isaac Isabel Ivan Jakob Jamal James Jana Jasmine
    Javier Joana Johan Jonas Joseph Julia Kai Karin Kavya Keiko Kenji Khalid Klara Kofi Lars Laura Leila Leo Liam Lina
    Linh Lucas Lucia Luisa Magnus Maja Malik Marco Maria Marta Martin Mateo Maya Mehmet Mei Mia Miguel Milan Mira Miriam
    Mohamed Nadia Naomi Natalia Nathan Nia Nikolai Nina Noah Noor Olga Olivia Omar Oscar Pablo Paula Pedro Peter Petra
    Priya Quentin Rachel Rafael Raj Rania Rebecca Ricardo Rosa Ruben Ruth Sakura Salma Samuel Sana Sara Sebastian Selma
    Sigrid Simon Sofia Stefan Stella Susan Svetlana Takeshi Tamar Tariq Tatiana Theo Thomas Tobias Tomas Uma Valentina
    Vera Victor Viola Walter Wei William Yara Yasmin Yusuf Zainab Zoe"""
)
LAST = _words(
    """Abadi Adeyemi Ahmed Almeida Alvarez Andersen Aoki Bakker Banerjee Barros Bauer Becker Berg Bianchi Blake Bond
    Brandt Carvalho Castro Chan Chaudhry Choi Clarke Cohen Collins Conti Costa Cruz Dahl Das Delgado Demir Diallo Diaz
    Dubois Duarte Ekström Eriksen Esposito Evans Farrell Fernandez Ferrari Fischer Foster Fournier Fraser Fujita Garcia
    Gomez Gordon Gray Greco Gupta Haddad Hansen Harris Hashimoto Hayes Hernandez Hoffmann Holm Horvat Hughes Hussain Ito
    Ivanov Jansen Jensen Johansson Joshi Kang Kapoor Katz Keller Kelly Khan Kim Kimura Klein Kovacs Kowalski Krüger Kumar
    Lambert Larsen Laurent Lee Lehmann Levy Lewis Li Lindqvist Lopez Lund Ma Mancini Marino Marsh Martin Mbeki Medina
    Mehta Mendes Menon Meyer Moore Morales Moreau Mori Müller Murphy Nair Nakamura Navarro Nguyen Nielsen Novak Nowak
    Nunes Obi Okafor Olsen Ortega Osei Ozturk Palmer Park Patel Pereira Perez Petrov Popescu Price Quinn Rahman Ramos Rao
    Reyes Ricci Rivera Roberts Romano Rossi Russo Sahin Said Salazar Santos Sato Schmidt Schneider Serrano Shah Sharma
    Silva Singh Smith Sokolov Sørensen Stein Stone Sullivan Suzuki Takahashi Tanaka Taylor Torres Tran Turner Usman Vargas
    Vasquez Vega Virtanen Vogel Volkov Wagner Walker Wang Weber White Wolff Wong Wright Yamamoto Yang Yilmaz Young Zhang
    Zimmermann"""
)
STREETS = _words(
    """Alder Ash Bakery Bath Bay Bridge Brook Canal Castle Cedar Chapel Cherry Church College Court Elm Farm Field Ford
    Forest Garden Garrison Grange Green Grove Harbour Hawthorn Hazel High Hill Holly Ivy King Lake Larch Laurel Lime Linden
    Maple Market Meadow Mill Museum North Oak Orchard Park Pine Poplar Quarry Queen River Rose School Spring Station Sunset
    Temple Tower Valley Victoria Walnut Water West Willow Windmill"""
)
PLACES = (
    ("Aarhus", "Denmark"),
    ("Accra", "Ghana"),
    ("Adelaide", "Australia"),
    ("Antwerp", "Belgium"),
    ("Auckland", "New Zealand"),
    ("Austin", "United States"),
    ("Barcelona", "Spain"),
    ("Basel", "Switzerland"),
    ("Bergen", "Norway"),
    ("Bilbao", "Spain"),
    ("Boston", "United States"),
    ("Bristol", "United Kingdom"),
    ("Brno", "Czechia"),
    ("Busan", "South Korea"),
    ("Cairo", "Egypt"),
    ("Calgary", "Canada"),
    ("Cape Town", "South Africa"),
    ("Casablanca", "Morocco"),
    ("Chennai", "India"),
    ("Chicago", "United States"),
    ("Cologne", "Germany"),
    ("Cork", "Ireland"),
    ("Curitiba", "Brazil"),
    ("Dakar", "Senegal"),
    ("Denver", "United States"),
    ("Dublin", "Ireland"),
    ("Edinburgh", "United Kingdom"),
    ("Gdansk", "Poland"),
    ("Geneva", "Switzerland"),
    ("Ghent", "Belgium"),
    ("Gothenburg", "Sweden"),
    ("Graz", "Austria"),
    ("Guadalajara", "Mexico"),
    ("Hamburg", "Germany"),
    ("Hanoi", "Vietnam"),
    ("Helsinki", "Finland"),
    ("Izmir", "Turkey"),
    ("Kyoto", "Japan"),
    ("Lagos", "Nigeria"),
    ("Leeds", "United Kingdom"),
    ("Leipzig", "Germany"),
    ("Lima", "Peru"),
    ("Lisbon", "Portugal"),
    ("Lyon", "France"),
    ("Malmo", "Sweden"),
    ("Medellin", "Colombia"),
    ("Melbourne", "Australia"),
    ("Montreal", "Canada"),
    ("Nairobi", "Kenya"),
    ("Nantes", "France"),
    ("Osaka", "Japan"),
    ("Oslo", "Norway"),
    ("Porto", "Portugal"),
    ("Portland", "United States"),
    ("Pune", "India"),
    ("Rotterdam", "Netherlands"),
    ("Salzburg", "Austria"),
    ("Santiago", "Chile"),
    ("Seattle", "United States"),
    ("Seville", "Spain"),
    ("Tallinn", "Estonia"),
    ("Tampere", "Finland"),
    ("Taipei", "Taiwan"),
    ("Toronto", "Canada"),
    ("Trieste", "Italy"),
    ("Turin", "Italy"),
    ("Utrecht", "Netherlands"),
    ("Valencia", "Spain"),
    ("Vienna", "Austria"),
    ("Vilnius", "Lithuania"),
    ("Wellington", "New Zealand"),
    ("Wroclaw", "Poland"),
    ("Zagreb", "Croatia"),
)
VENTURES = _words(
    """Amber Anchor Apex Arbor Arrow Atlas Aurora Beacon Birch Bluebird Bright Cascade Cedar Citadel Cobalt Compass Copper
    Coral Crescent Delta Ember Evergreen Falcon Fern Fjord Granite Harbor Hawk Heron Horizon Indigo Iris Juniper Kestrel
    Lantern Lark Meridian Mosaic Nimbus Northwind Oakwood Onyx Orchard Osprey Pioneer Polaris Prism Quill Raven Redwood
    Sable Saffron Sierra Silver Skylark Solstice Summit Swift Tern Tidal Timber Umbra Vantage Verde Willow Zephyr"""
)
TRADES = _words(
    "Bakery Builders Consulting Design Electric Foods Freight Group Holdings Imports Labs Logistics Media Motors Outfitters Partners Press Products Solutions Supply Systems Textiles Tools Trading Works"
)


def sample_text(kind: str, chance: Chance) -> str:
    """A text of a kind that the language knows."""
    match kind:
        case "person" | "name":
            return f"{chance.pick(FIRST)} {chance.pick(LAST)}"
        case "email":
            return email_of(f"{chance.pick(FIRST)} {chance.pick(LAST)}", chance)
        case "phone":
            return f"+{chance.pick((1, 33, 34, 39, 44, 45, 46, 47, 49))} {chance.between(200, 799)} {chance.between(100, 999)} {chance.between(1000, 9999)}"
        case "address":
            street = (
                f"{chance.between(1, 189)} {chance.pick(STREETS)} {chance.pick(('Street', 'Road', 'Lane', 'Avenue'))}"
            )
            return f"{street}, {chance.pick(PLACES)[0]}"
        case "company":
            return f"{chance.pick(VENTURES)} {chance.pick(TRADES)}"
        case "city":
            return chance.pick(PLACES)[0]
        case _:
            return chance.pick(PLACES)[1]


def email_of(person: str, chance: Chance) -> str:
    """An address for a person of that name, at a domain that is reserved for examples."""
    plain = unicodedata.normalize("NFKD", person.replace("ø", "o").replace("ü", "u")).encode("ascii", "ignore").decode()
    parts = [part for part in plain.lower().replace("'", "").split() if part]
    return f"{'.'.join(parts)}@{chance.pick(('example.com', 'example.org', 'example.net'))}"
