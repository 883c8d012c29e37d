import { pluralsOf } from '../../i18n/plural.ts';
import type { StoreTexts } from './english.ts';

const plural = pluralsOf('es');

export const spanish: StoreTexts = {
  addStore: 'Añadir una tienda',
  editStore: 'Editar la tienda',
  searchStores: 'Buscar por nombre',
  noStores: 'Todavía no hay tiendas',
  noStoresHint:
    'Una tienda es un lugar con pantallas. Programaciones y despliegues pueden ser para una tienda, y las horas seguir su zona horaria.',
  nothingFound: 'Ninguna tienda coincide.',
  address: 'Dirección',
  city: 'Ciudad',
  region: 'Región',
  country: 'País',
  contact: 'Contacto',
  timezone: 'Zona horaria',
  timezoneHint: 'Para reglas en la hora local de la tienda. Sin ella, la de la organización.',
  organizationZone: 'zona horaria de la organización',
  tagsHint: 'Separadas por comas',
  screens: (count) => plural(count, { one: '# pantalla', other: '# pantallas' }),
  files: (count) => plural(count, { one: '# archivo', other: '# archivos' }),
  schedules: (count) => plural(count, { one: '# programación', other: '# programaciones' }),
  deleteStore: 'Eliminar',
  deleteTitle: (name) => `¿Eliminar «${name}»?`,
  deleteScreens: (count) =>
    plural(count, { one: '# pantalla se queda, sin tienda.', other: '# pantallas se quedan, sin tienda.' }),
  deleteSchedules: 'Estas programaciones son para esta tienda y ya no llegarán a sus pantallas:',
  deleteRules: 'Estas reglas de alertas vigilan esta tienda. Asígneles antes otras pantallas o elimínelas:',
  deleteUnused: 'Nada la usa.',
  tagsTitle: 'Etiquetas',
  noTags:
    'Aún no hay etiquetas. Agrupan pantallas de varias tiendas: asígnelas en los ajustes de una pantalla.',
};
