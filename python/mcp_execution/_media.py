"""Pictures and sounds that a script returns, made into files. Loaded by the first call that has one."""

from io import BytesIO

_PNG_MODES = ("1", "L", "LA", "I", "I;16", "P", "RGB", "RGBA")
_SAMPLE_RATES = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}
_BITRATES = {
    3: (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    2: (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_SOUNDS_IN_OGG = (b"OpusHead", b"\x01vorbis", b"\x7fFLAC", b"Speex   ")


def recognise(data):
    """What bytes are by how they begin: their kind, their ending and their MIME type; None for all but media."""
    head = bytes(data[:64])
    if head.startswith(b"\x89PNG\r\n\x1a\n") and head[12:16] == b"IHDR":
        return "image", "png", "image/png"
    if head.startswith(b"\xff\xd8\xff") and len(data) > 20:
        return "image", "jpg", "image/jpeg"
    if head[:6] in (b"GIF87a", b"GIF89a") and len(data) > 13:
        return "image", "gif", "image/gif"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image", "webp", "image/webp"
    if head[:4] == b"RIFF" and head[8:12] == b"WAVE":
        return "audio", "wav", "audio/wav"
    if head.startswith(b"fLaC") and len(data) > 42:
        return "audio", "flac", "audio/flac"
    if head.startswith(b"OggS") and any(sound in head for sound in _SOUNDS_IN_OGG):
        return "audio", "ogg", "audio/ogg"
    if (head.startswith(b"ID3") and len(data) > 10) or _is_mpeg_audio(data):
        return "audio", "mp3", "audio/mpeg"
    return None


def write_image(image):
    """A PIL image as bytes, without loss."""
    stream = BytesIO()
    if getattr(image, "format", None) == "GIF" and getattr(image, "is_animated", False):
        image.save(stream, format="GIF", save_all=True)
        return stream.getvalue(), ("image", "gif", "image/gif")
    if image.mode not in _PNG_MODES:
        image = image.convert("RGBA" if image.mode in ("PA", "La", "RGBa") else "RGB")
    image.save(stream, format="PNG")
    return stream.getvalue(), ("image", "png", "image/png")


def write_figure(figure):
    """A matplotlib figure as bytes, drawn by Agg whatever it would be shown with."""
    stream = BytesIO()
    figure.savefig(stream, format="png")
    return stream.getvalue(), ("figure", "png", "image/png")


def figure_of(drawn):
    """The whole figure that something is drawn in, or that a figure is a part of."""
    figure = drawn if hasattr(drawn, "savefig") else getattr(drawn, "figure", None)
    while not hasattr(figure, "savefig") and getattr(figure, "figure", figure) is not figure:
        figure = figure.figure
    return figure


def _is_mpeg_audio(data):
    """Two frames, one after the other: many bytes begin like one."""
    length = _mpeg_frame_bytes(data[:4])
    return length > 0 and (_mpeg_frame_bytes(data[length : length + 4]) > 0 or len(data) == length)


def _mpeg_frame_bytes(header):
    """The length of the frame of layer 3 that begins so; 0 where none does."""
    if len(header) < 4 or header[0] != 0xFF or header[1] & 0xE6 != 0xE2:
        return 0
    version, bitrate, rate = header[1] >> 3 & 3, header[2] >> 4, header[2] >> 2 & 3
    if version == 1 or bitrate in (0, 15) or rate == 3:
        return 0
    kilobits = _BITRATES[3 if version == 3 else 2][bitrate - 1]
    scale = 144000 if version == 3 else 72000
    return scale * kilobits // _SAMPLE_RATES[version][rate] + (header[2] >> 1 & 1)

