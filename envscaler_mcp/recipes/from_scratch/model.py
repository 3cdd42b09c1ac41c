"""A small decoder with rotary positions. Each layer mixes a token with the three before it, which helps it copy."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

_REACH = 4
"""How many tokens the mix of a layer sees: the token and the three before it."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How large a model is."""

    width: int = 256
    layers: int = 4
    heads: int = 4
    longest: int = 4096
    """Tokens of one episode."""


class Cache:
    """Keys and values of rows of different lengths, and what the mixes have to remember of each row."""

    def __init__(self, shape: Shape, rows: int, *, device: torch.device, dtype: torch.dtype) -> None:
        size = shape.width // shape.heads
        self.lengths = torch.zeros(rows, dtype=torch.long, device=device)
        self.keys = [torch.zeros(rows, shape.heads, 0, size, device=device, dtype=dtype) for _ in range(shape.layers)]
        self.values = [torch.zeros_like(keys) for keys in self.keys]
        self.tails = [
            torch.zeros(rows, _REACH - 1, shape.width, device=device, dtype=dtype) for _ in range(shape.layers)
        ]

    def keep(self, rows: Tensor) -> None:
        """Go on with these rows only."""
        self.lengths = self.lengths[rows]
        most = int(self.lengths.max()) if len(rows) else 0
        self.keys = [keys[rows, :, :most] for keys in self.keys]
        self.values = [values[rows, :, :most] for values in self.values]
        self.tails = [tail[rows] for tail in self.tails]

    def room(self, length: int) -> None:
        """Be able to hold so many tokens of each row."""
        missing = length - self.keys[0].shape[2]
        if missing > 0:
            missing = max(missing, 64)
            self.keys = [functional.pad(keys, (0, 0, 0, missing)) for keys in self.keys]
            self.values = [functional.pad(values, (0, 0, 0, missing)) for values in self.values]


@dataclass(frozen=True, slots=True)
class _Fed:
    """Which tokens are new in which rows of a cache."""

    rows: Tensor
    places: Tensor
    """Rows by tokens: where each one stands in its row."""
    counts: Tensor
    """How many tokens of each row are no padding."""
    mask: Tensor


class DecoderLayer(nn.Module):
    """Mix and attention, then two linear maps; each added to what came in."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width = shape.width
        self.heads = shape.heads
        self.before = nn.RMSNorm(width)
        self.mix = nn.Parameter(torch.zeros(_REACH - 1, width))
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.between = nn.RMSNorm(width)
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)

    def forward(self, x: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
        """Whole rows, from their first token on."""
        h = self.before(x)
        mixed = self._mixed(functional.pad(h, (0, 0, _REACH - 1, 0)))
        q, k, v = self._heads(mixed, turn)
        seen = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self._rest(x, seen)

    def fed(self, x: Tensor, turn: tuple[Tensor, Tensor], cache: Cache, number: int, fed: _Fed) -> Tensor:
        """New tokens of some rows, after those in the cache."""
        h = self.before(x)
        padded = torch.cat((cache.tails[number][fed.rows].to(h.dtype), h), 1)
        last = fed.counts[:, None] + torch.arange(_REACH - 1, device=x.device)
        cache.tails[number][fed.rows] = padded[torch.arange(len(x), device=x.device)[:, None], last]
        q, k, v = self._heads(self._mixed(padded), turn)
        keys, values = cache.keys[number], cache.values[number]
        # A padded token is written where the row's next real one will be, and is seen by none before that.
        keys[fed.rows[:, None], :, fed.places] = k.transpose(1, 2)
        values[fed.rows[:, None], :, fed.places] = v.transpose(1, 2)
        length = fed.mask.shape[2]
        seen = functional.scaled_dot_product_attention(
            q, keys[fed.rows, :, :length], values[fed.rows, :, :length], attn_mask=fed.mask[:, None]
        )
        return self._rest(x, seen)

    def _mixed(self, padded: Tensor) -> Tensor:
        length = padded.shape[1] - _REACH + 1
        mixed = padded[:, _REACH - 1 :]
        for back in range(1, _REACH):
            start = _REACH - 1 - back
            mixed = torch.addcmul(mixed, padded[:, start : start + length], self.mix[back - 1].to(padded.dtype))
        return mixed

    def _heads(self, x: Tensor, turn: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        rows, length, width = x.shape
        q, k, v = self.qkv(x).view(rows, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        return _turned(q, turn), _turned(k, turn), v

    def _rest(self, x: Tensor, seen: Tensor) -> Tensor:
        x = x + self.out(seen.transpose(1, 2).reshape(x.shape))
        return x + self.down(functional.relu(self.up(self.between(x))).square())


class Decoder(nn.Module):
    """Gives the logits of the next token."""

    def __init__(self, size: int, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(size, shape.width)
        self.layers = nn.ModuleList(DecoderLayer(shape) for _ in range(shape.layers))
        self.after = nn.RMSNorm(shape.width)
        half = shape.width // shape.heads // 2
        angles = torch.arange(shape.longest)[:, None] / 10_000 ** (torch.arange(half) / half)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)
        for name, weight in self.named_parameters():
            if weight.dim() > 1 and not name.endswith("mix"):
                nn.init.normal_(weight, std=0.02 if "embedding" in name else weight.shape[1] ** -0.5)
            if name.endswith(("out.weight", "down.weight")):
                nn.init.zeros_(weight)

    @property
    def parameters_in_all(self) -> int:
        """How many numbers are learned."""
        return sum(weight.numel() for weight in self.parameters())

    def forward(self, tokens: Tensor, wanted: Tensor | None = None) -> Tensor:
        """Logits after every token of whole rows, or after the wanted ones (a mask), one row for each."""
        length = tokens.shape[1]
        turn = self.cos[:length], self.sin[:length]
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x, turn)
        return self._logits(x if wanted is None else x[wanted])

    def feed(self, tokens: Tensor, counts: Tensor, cache: Cache, rows: Tensor) -> Tensor:
        """Logits after the last new token of some rows of a cache, whose first `counts` tokens are new and the others padding."""
        places = cache.lengths[rows, None] + torch.arange(tokens.shape[1], device=tokens.device)
        length = int(places.max()) + 1
        cache.room(length)
        mask = torch.arange(length, device=tokens.device) <= places[:, :, None]
        turn = self.cos[places][:, None], self.sin[places][:, None]
        fed = _Fed(rows, places, counts, mask)
        x = self.embedding(tokens)
        for number, layer in enumerate(self.layers):
            x = layer.fed(x, turn, cache, number, fed)
        cache.lengths[rows] += counts
        return self._logits(x[torch.arange(len(x), device=x.device), counts - 1])

    def _logits(self, x: Tensor) -> Tensor:
        return functional.linear(self.after(x), self.embedding.weight)


def _turned(x: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    cos, sin = (part.to(x.dtype) for part in turn)
    first, second = x.chunk(2, -1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), -1)
