import type { DeviceFilterTexts } from './english.ts';

export const spanish: DeviceFilterTexts = {
  screens: 'Pantallas',
  anyTag: 'Cualquiera',
  morePlaces: 'Nombre o lugar',
  nameContains: 'El nombre contiene',
  country: 'País de la tienda',
  region: 'Región de la tienda',
  city: 'Ciudad de la tienda',
  allScreens: 'todas las pantallas',
  words: {
    store_id: (name) => `tienda «${name}»`,
    tag: (tag) => `etiqueta «${tag}»`,
    search: (text) => `nombre con «${text}»`,
    country: (name) => `país ${name}`,
    region: (name) => `región ${name}`,
    city: (name) => `ciudad ${name}`,
  },
};
