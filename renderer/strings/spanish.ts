import type { FaultCode } from '@placard/protocol';
import type { Strings } from './english.ts';

const faults: Record<FaultCode, string> = {
  'config.invalid': 'Un ajuste no es válido. Corrija el ajuste indicado y vuelva a iniciar.',
  'data.unwritable':
    'No se puede escribir en la carpeta de datos. Dé permiso de escritura al reproductor o elija otra con --data.',
  'data.locked': 'Otro reproductor ya usa esta carpeta de datos. Deténgalo o elija otra carpeta con --data.',
  'store.corrupt':
    'La base de datos del reproductor estaba dañada. Se apartó y se reconstruye con los archivos y la nube; no hay que hacer nada.',
  'disk.full':
    'El disco está lleno. La pantalla sigue con lo que tiene; libere espacio o aumente el límite de la caché.',
  'disk.readonly':
    'El disco es de solo lectura. La pantalla sigue con lo que tiene; revise el disco o la tarjeta SD y reinicie.',
  'cloud.unreachable':
    'No se llega a la nube. La pantalla sigue con lo que tiene; revise el cable, la wifi y la dirección del servidor.',
  'cloud.refused':
    'La nube rechazó la petición. Compruebe que la dirección del servidor es correcta y que la nube está actualizada.',
  'cloud.not_placard':
    'El servidor respondió, pero no es una nube Placard. Revise la dirección; quizá haya una página de acceso wifi de por medio.',
  'cloud.busy': 'La nube pide al reproductor que vaya más despacio; lo intenta de nuevo por sí mismo.',
  'cloud.tls':
    'Falló la conexión segura. Revise la fecha y la hora de este equipo y el certificado del servidor.',
  'identity.shared':
    'Otro equipo usa la identidad de esta pantalla: una copia de su disco. Ambos siguen reproduciendo; borre los datos del reproductor en uno de ellos y vincúlelo de nuevo.',
  'asset.gone':
    'La nube ya no tiene un archivo de la lista. Quite el elemento de la lista o suba el archivo de nuevo.',
  'asset.not_allowed':
    'Un archivo está en una dirección desde la que este reproductor no debe descargar. Indique a la nube su dirección pública (--public-url) o suba el archivo a la propia nube.',
  'manifest.unknown':
    'La nube envió algo que este reproductor no conoce; se omitió y el resto se reproduce. Actualice el reproductor; el fallo dice qué era.',
  'asset.hash_mismatch': 'Un archivo llegó dañado y se descartó; se descarga de nuevo.',
  'asset.download_failed': 'No se pudo descargar un archivo; se intenta de nuevo.',
  'playback.decode_failed':
    'Este equipo no puede descodificar un archivo. Se omite; conviértalo a MP4 H.264, JPEG o PNG.',
  'playback.stalled': 'Un vídeo se detuvo y se omitió; se intentará más tarde.',
  'playback.nothing_playable':
    'No se puede mostrar nada de la lista. Se mantiene la última imagen buena; revise los elementos de la lista.',
  'plays.dropped':
    'Algunas reproducciones no se pudieron comunicar y faltan en las cifras. El fallo indica cuántas; revise el disco y el camino hasta la nube.',
  'stage.lost': 'La página que muestra la imagen dejó de responder; se inicia de nuevo.',
  'stage.safe_mode':
    'La página que muestra la imagen falló varias veces. Durante una hora solo muestra imágenes, sin tarjeta gráfica; revise el controlador gráfico y los vídeos más nuevos.',
  'shell.none':
    'No se encontró ninguna forma de mostrar una imagen. Instale Chromium, Chrome o Edge, o inicie con --shell headless.',
  'runtime.crashed':
    'El proceso del reproductor terminó de forma inesperada; se inicia de nuevo y la imagen se mantiene.',
};

export const spanish: Strings = {
  starting: 'Iniciando',
  pairing: {
    title: 'Vincular esta pantalla',
    withPhone: 'Escanee con el móvil',
    beforeAddress: 'o abra ',
    afterAddress: ' e introduzca este código',
    renewsIn: (clock) => `Código nuevo en ${clock}`,
    waiting: 'Esperando un código',
    waitingHint: 'La pantalla se lo pide al servidor por sí misma.',
  },
  paired: {
    title: 'Vinculada',
    ready: 'Esta pantalla recibe ahora sus primeras imágenes.',
  },
  idle: {
    nothing: 'No hay nada programado en este momento',
  },
  playerInfo: {
    server: 'Servidor',
    version: 'Versión',
    serial: 'Número de serie',
    network: 'Red',
    noNetwork: 'Sin conexión de red',
    wired: 'cable',
    wireless: 'wifi',
  },
  connectivity: {
    steps: { link: 'Red', address: 'Dirección', dns: 'DNS', server: 'Servidor', clock: 'Reloj' },
    states: { ok: 'funciona', failed: 'falla', waiting: 'aún no se sabe' },
    hints: {
      no_link: () => 'Este equipo no tiene red. Conecte el cable o únase a una red wifi.',
      no_address: () =>
        'La red no da dirección a este equipo. Revise el router (DHCP) o configure una dirección fija.',
      name_not_found: ({ host }) =>
        `No se encuentra el nombre ${host}. Revise la dirección del servidor y el DNS de esta red.`,
      connection_refused: ({ host }) =>
        `${host} rechaza la conexión. Compruebe que la nube funciona y que el puerto es correcto.`,
      no_route: ({ host }) =>
        `No hay camino desde esta red hasta ${host}. Revise la puerta de enlace y el cortafuegos.`,
      no_answer: ({ host }) =>
        `${host} no responde. Revise la dirección del servidor y que el cortafuegos deje pasar.`,
      certificate: ({ host }) =>
        `No se acepta el certificado de ${host}. Revíselo, y también la fecha y la hora de este equipo.`,
      clock_wrong: ({ date }) =>
        `Este equipo cree que es ${date}, así que ningún certificado vale. Ponga en hora su reloj.`,
      not_placard: ({ host }) =>
        `${host} responde, pero no es una nube Placard. Revise la dirección; quizá haya una página de acceso wifi de por medio.`,
      refused: ({ host }) =>
        `${host} rechaza la petición. Revise la dirección del servidor y que la nube esté actualizada.`,
      busy: ({ host }) =>
        `${host} pide a esta pantalla que vaya más despacio. Lo intenta de nuevo por sí misma.`,
      server_error: ({ host }) =>
        `${host} tiene un problema propio. Esta pantalla lo intenta de nuevo por sí misma.`,
    },
  },
  fault: (code) => faults[code],
  menu: {
    title: 'Menú del técnico',
    back: 'Atrás',
    close: 'Cerrar',
    cancel: 'Cancelar',
    loading: 'Un momento',
    refresh: 'Otra vez',
    unknown: 'se desconoce',
    noResponse: 'El reproductor no responde ahora mismo. Inténtelo de nuevo en un momento.',
    cloudUnreachable: 'Ahora mismo no se llega a la nube, así que nada podría cargarse de nuevo.',
    notPossible: (why) => `No fue posible. ${why}`,
    readOnly:
      'Esta pantalla no tiene PIN: el menú solo muestra y no cambia nada. Ponga uno en la configuración del equipo o al instalarlo.',
    pin: {
      title: 'Introduzca el PIN',
      digits: (count) => `${count} cifras introducidas`,
      enter: 'OK',
      erase: 'Borrar',
      wrong: 'Este PIN no es correcto.',
      locked: (clock) => `Demasiados PIN incorrectos. Vuelva a intentarlo en ${clock}.`,
    },
    network: {
      title: 'Prueba de red',
      ok: 'El camino hasta el servidor funciona.',
      responseTime: 'Respuesta tras',
      milliseconds: (count) => `${count} ms`,
      clockOffset: 'Desfase del reloj',
      seconds: (count) => `${count} s`,
    },
    playing: {
      title: 'En pantalla',
      now: 'Ahora',
      next: 'Después',
      nothing: 'nada',
      playlist: 'Lista',
      reason: 'Motivo',
      schedule: (name) => `programación «${name}»`,
      deployment: 'asignada a esta pantalla',
      none: 'nada programado ni asignado',
      since: 'Desde',
      until: 'Hasta',
      kinds: { image: 'imagen', video: 'vídeo' },
      cloud: 'Nube',
      connections: { online: 'conectada', offline: 'sin conexión', connecting: 'conectando' },
      contentStatus: 'Programa',
      current: 'al día',
      loading: 'se está cargando uno más nuevo',
    },
    cache: {
      title: 'Caché',
      used: 'Usado',
      limit: 'Límite',
      noLimit: 'solo el disco',
      free: 'Libre en el disco',
      files: 'Archivos',
      missing: 'Archivos que faltan',
    },
    faults: {
      title: 'Fallos',
      none: 'No hay fallos.',
      since: (time) => `desde ${time}`,
    },
    pattern: {
      title: 'Carta de ajuste',
      keys: 'Flechas o un toque: la siguiente. Atrás: fin.',
      kinds: {
        geometry: 'Geometría',
        colours: 'Colores',
        lines: 'Líneas de 1 píxel',
        motion: 'Movimiento',
      },
    },
    orientation: {
      title: 'Orientación',
      note: 'Lo elegido vale solo para este equipo, hasta que vuelva a seguir a la nube.',
      cloud: 'Seguir a la nube',
      kinds: {
        landscape: 'Horizontal',
        portrait: 'Vertical',
        'landscape-flipped': 'Horizontal, al revés',
        'portrait-flipped': 'Vertical, al revés',
      },
    },
    logs: {
      title: 'Guardar registros',
      question:
        'Los registros y el estado, sin secretos, se guardan en el disco de este equipo, y en una memoria USB si hay una.',
      confirm: 'Guardar',
      saved: 'Guardado:',
    },
    clearCache: {
      title: 'Vaciar la caché',
      question:
        '¿Borrar todos los medios guardados? Lo que está en pantalla se queda hasta que sus medios se carguen de nuevo.',
      confirm: 'Borrar',
      done: 'La caché se vació y se llena de nuevo.',
    },
    rePair: {
      title: 'Vincular de nuevo',
      question:
        '¿Olvidar esta vinculación? La pantalla muestra un código nuevo y no reproduce nada hasta que se vincule.',
      confirm: 'Olvidar',
      done: 'En un momento aparece un código nuevo.',
    },
    restart: {
      title: 'Reiniciar el reproductor',
      question: '¿Reiniciar el reproductor? La imagen vuelve en unos segundos.',
      confirm: 'Reiniciar',
      done: 'El reproductor se reinicia.',
    },
    reboot: {
      title: 'Reiniciar el equipo',
      question: '¿Reiniciar este equipo? La pantalla queda oscura alrededor de un minuto.',
      confirm: 'Reiniciar',
      done: 'El equipo se reinicia.',
    },
  },
};
